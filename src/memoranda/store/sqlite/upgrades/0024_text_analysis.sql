-- Text is analysed in one way for the index and for queries. What earlier versions indexed is
-- updated by jobs, one for each team and table; the index of ASCII text is unchanged.
insert into job (team, id, kind, subject, state, attempts, run_at, created_at)
select known.team, lower(hex(randomblob(13))), 'index_text', part.name || ':', 'pending', 0, 0, 0
from (
  select team from journal_head union select team from workspace
  union select distinct team from memory
) as known
cross join (select 'observation' as name union all select 'memory') as part;
