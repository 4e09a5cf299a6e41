-- insert: store what was shown instead of an output; keep the first report
insert into live_output (team, observation, whole_bytes, shown_bytes, whole_tokens, shown_tokens,
  expansions)
values (:team, :observation, :whole_bytes, :shown_bytes, :whole_tokens, :shown_tokens, 0)
on conflict (team, observation) do nothing

-- expand: record a request for the full output
update live_output set expansions = expansions + 1 where team = :team and observation = :observation

-- savings: savings of short forms by tool, largest first (cross join, so that these rows are scanned)
select coalesce(o.tool, ''), count(*), sum(l.whole_bytes), sum(l.shown_bytes), sum(l.whole_tokens),
  sum(l.shown_tokens), sum(l.whole_tokens - l.shown_tokens) as saved,
  sum(case when l.expansions > 0 then 1 else 0 end), sum(l.expansions)
from live_output l cross join observation o
where l.team = :team and o.team = l.team and o.id = l.observation and (:workspace is null or o.workspace = :workspace)
group by coalesce(o.tool, '') order by saved desc, 1
