-- put: insert a note, or replace the one with its id or for the same captured error
insert into error_note (team, id, workspace, task, stage, agent, type, description, context,
  recovery, severity, observation, position, created_at, resolved_by, resolved_at)
values (:team, :id, :workspace, :task, :stage, :agent, :type, :description, :context, :recovery,
  :severity, :observation, :position, :created_at, :resolved_by, :resolved_at)
on conflict (team, id) do update set type = excluded.type, recovery = excluded.recovery,
  severity = excluded.severity, description = excluded.description, context = excluded.context,
  resolved_by = excluded.resolved_by, resolved_at = excluded.resolved_at

-- columns: columns of a note, in order
select team, id, workspace, task, stage, agent, type, description, context, recovery, severity,
  observation, position, created_at, resolved_by, resolved_at
from error_note

-- by_id: one note
where team = :team and id = :id

-- by_observations: notes about captured errors
where team = :team and observation in :ids[]

-- by_prefix: ids with a prefix
select id from error_note where team = :team and id >= :low and id < :high order by id limit 6

-- listed: errors recorded manually, newest first
where team = :team and observation is null and id < :before_id
  and (:workspace is null or workspace = :workspace)
  and (:task is null or task = :task)
order by id desc limit :limit

-- since: errors recorded in a task after a note, oldest first (coalesce keeps engines to the task)
where team = :team and task = :task and coalesce(observation, '') = '' and id > :after
order by id limit :limit

-- open: unresolved errors recorded manually in a task, newest first (coalesce as above)
where team = :team and task = :task and (coalesce(observation, '') = '' or position > 0)
  and recovery = ''
order by id desc limit :limit

-- ended: close a captured error
delete from open_error where team = :team and observation = :observation

-- delete: delete recorded errors; notes about captured errors are deleted with these
delete from error_note where team = :team and id in :ids[]

-- within: notes in a place and time span, for forgetting them
select id from error_note
where team = :team and (:workspace is null or workspace = :workspace)
  and (:task is null or task = :task)
  and (:since is null or created_at >= :since)
  and (:until is null or created_at < :until)
order by id limit :limit
