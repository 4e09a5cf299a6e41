-- rows_without_words: observations that full text should know and does not; never folded ones
select count(*) from observation o
where o.salience <> 'folded' and not exists (
    select 1 from quarantine q
    where q.team = o.team and q.observation = o.id and q.salience = 'folded')
  and o.docid not in (select rowid from observation_words)

-- words_without_rows: entries of the full-text index that stand for no row
select (select count(*) from observation_words where rowid not in (select docid from observation))
  + (select count(*) from memory_words where rowid not in (select docid from memory))

-- memories_without_words: memories that full text should know and does not
select count(*) from memory where docid not in (select rowid from memory_words)

-- missing_contents: observations whose content is not there
select count(*) from observation o
where not exists (select 1 from blob b where b.team = o.team and b.hash = o.content_hash)

-- gaps: tasks whose numbering does not agree with their count; forgetting leaves gaps, never more
select count(*) from task t
where t.observations < (
  select coalesce(max(o.sequence), 0) from observation o where o.team = t.team and o.task = t.id)
