-- put: store a rule, replacing that with the same id
insert into approval_rule (team, id, source, category, confidence, origin, agents, workspace,
  enabled, created_by, created_at)
values (:team, :id, :source, :category, :confidence, :origin, :agents, :workspace, :enabled,
  :created_by, :created_at)
on conflict (team, id) do update set enabled = excluded.enabled

-- listed: rules after an id, oldest first; with a workspace, those that may apply to it
select team, id, source, category, confidence, origin, agents, workspace, enabled, created_by,
  created_at
from approval_rule
where team = :team and id > :after
  and (:workspace is null or workspace is null or workspace = :workspace)
order by id limit :limit

-- by_prefix: ids with a prefix
select id from approval_rule where team = :team and id >= :low and id < :high order by id limit 6

-- delete: delete one rule
delete from approval_rule where team = :team and id = :id
