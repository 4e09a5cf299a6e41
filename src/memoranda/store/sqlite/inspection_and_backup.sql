-- rows_without_words: observations that are missing in the full-text index, except folded ones
select count(*) from observation o
where o.salience <> 'folded' and not exists (
    select 1 from quarantine q
    where q.team = o.team and q.observation = o.id and q.salience = 'folded')
  and o.docid not in (select rowid from observation_words)

-- words_without_rows: full-text entries without a row
select (select count(*) from observation_words where rowid not in (select docid from observation))
  + (select count(*) from memory_words where rowid not in (select docid from memory))

-- memories_without_words: memories that are missing in the full-text index
select count(*) from memory where docid not in (select rowid from memory_words)

-- missing_contents: observations whose content is missing
select count(*) from observation o
where not exists (select 1 from blob b where b.team = o.team and b.hash = o.content_hash)

-- gaps: tasks whose numbering does not match their count; forgetting leaves gaps but never adds numbers
select count(*) from task t
where t.observations < (
  select coalesce(max(o.sequence), 0) from observation o where o.team = t.team and o.task = t.id)

-- miscounted: tasks whose totals do not match their observations
select count(*) from (
  select team, workspace, task, count(*) as observations, count(repeats) as folded,
    sum(tokens) as tokens, sum(redactions) as redactions, sum(length(summary)) as characters
  from observation group by team, workspace, task
) as o full join (select * from task_total) as t
  on t.team = o.team and t.workspace = o.workspace and t.task = o.task
where t.observations is distinct from o.observations or t.folded is distinct from o.folded
  or t.tokens is distinct from o.tokens or t.redactions is distinct from o.redactions
  or t.summary_characters is distinct from o.characters
