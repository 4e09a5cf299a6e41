-- Names in camelCase are indexed by their parts. Jobs update what earlier versions indexed, one for
-- each team and table.
insert into job (team, id, kind, subject, state, attempts, run_at, created_at)
select known.team, lower(hex(randomblob(13))), 'index_text', part.name || ':', 'pending', 0, 0, 0
from (
  select team from journal_head union select team from workspace
  union select distinct team from memory
) as known
cross join (select 'observation' as name union all select 'memory') as part;
