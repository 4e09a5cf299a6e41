-- newest_of: calls among the newest steps of a workspace
select id, tool, type, stage, resolves, tags, summary from (
  select id, tool, type, stage, resolves, tags, summary from observation
  where team = :team and workspace = :workspace order by recorded_at desc, id desc limit :limit
) as step where tool is not null

-- newest: calls among the newest steps of a team
select id, tool, type, stage, resolves, tags, summary from (
  select id, tool, type, stage, resolves, tags, summary from observation
  where team = :team order by id desc limit :limit
) as step where tool is not null
