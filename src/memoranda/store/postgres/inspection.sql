-- server: version, size in bytes, and whether the session's role is exempt from row-level security
select current_setting('server_version'), pg_database_size(current_database()),
  (select rolsuper or rolbypassrls from pg_roles where rolname = current_user), current_user::text

-- schema: newest migration
select coalesce(max(version), 0) from migration

-- unprotected: tables with a team column whose row security is off or does not apply to the owner
select c.relname::text from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attname = 'team' and not a.attisdropped
where c.relnamespace = 'memoranda'::regnamespace and c.relkind in ('r', 'p')
  and not c.relispartition and not (c.relrowsecurity and c.relforcerowsecurity)
order by c.relname

-- extensions: used extensions with their versions
select extname::text, extversion from pg_extension where extname in ('vector', 'pg_trgm')
order by extname

-- rows_without_words: observations that are missing in the full-text index, except folded ones
select count(*) from observation o
where o.team = :team and o.salience <> 'folded'
  and not exists (
    select 1 from quarantine q
    where q.team = o.team and q.observation = o.id and q.salience = 'folded') and not exists (
  select 1 from observation_text t where t.team = o.team and t.id = o.id)

-- memories_without_words: memories that are missing in the full-text index
select count(*) from memory m
where m.team = :team and not exists (
  select 1 from memory_text t where t.team = m.team and t.id = m.id)

-- missing_contents: observations whose content is missing
select count(*) from observation o
where o.team = :team and not exists (
  select 1 from blob b where b.team = o.team and b.hash = o.content_hash)

-- gaps: tasks whose numbering does not match their count
select count(*) from task t
where t.team = :team and t.observations < (
  select coalesce(max(o.sequence), 0) from observation o where o.team = t.team and o.task = t.id)

-- miscounted: tasks whose totals do not match their observations
select count(*) from (
  select team, workspace, task, count(*) as observations, count(repeats) as folded,
    sum(tokens) as tokens, sum(redactions) as redactions, sum(length(summary)) as characters
  from observation where team = :team group by team, workspace, task
) as o full join (select * from task_total where team = :team) as t
  on t.team = o.team and t.workspace = o.workspace and t.task = o.task
where t.observations is distinct from o.observations or t.folded is distinct from o.folded
  or t.tokens is distinct from o.tokens or t.redactions is distinct from o.redactions
  or t.summary_characters is distinct from o.characters
