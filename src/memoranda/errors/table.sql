-- columns: columns of a captured error for lists and patterns
select e.team, e.id, e.ref, e.workspace, e.task, e.sequence, e.stage, e.agent, e.tool, e.summary, e.tags,
  e.created_at
from observation e

-- in_team: errors of a team, newest first
where e.team = :team and e.type = 'error' and e.id < :before_id order by e.id desc limit :limit

-- in_workspace: errors of a workspace, newest first
where e.team = :team and e.workspace = :workspace and e.type = 'error' and e.id < :before_id
order by e.id desc limit :limit

-- in_task: errors of a task, newest first
where e.team = :team and e.task = :task and e.type = 'error' and e.id < :before_id
order by e.id desc limit :limit

-- by_ids: errors by id
where e.team = :team and e.id in :ids[] and e.type = 'error'

-- ended: resolutions of some errors, unordered (an order would make the engine scan a team)
select resolves, id, summary from observation
where team = :team and resolves is not null and resolves in :ids[] and repeats is null

-- still_open: which of some errors are unresolved
select observation from open_error where team = :team and observation in :ids[]

-- failed_again: newest failure of the same action, if open, for unresolved errors
select e.id, n.ref
from observation e
join open_error o on o.team = e.team and o.target = e.target
join observation n on n.team = o.team and n.id = o.observation and n.workspace = e.workspace
where e.team = :team and e.id in :ids[] and e.type = 'error' and n.id > e.id
  and not exists (select 1 from observation f where f.team = e.team and f.resolves = e.id)
  and not exists (select 1 from open_error i where i.team = e.team and i.observation = e.id)
  and not exists (
    select 1 from observation x join observation f on f.team = x.team and f.resolves = x.id
    where x.team = e.team and x.workspace = e.workspace and x.type = 'error'
      and x.id > e.id and x.id < n.id and x.target = e.target)

-- candidates: errors whose action failed again and is open
select distinct e.id from observation e
join open_error o on o.team = e.team and o.target = e.target and o.observation > e.id
where e.team = :team and e.type = 'error' and (:workspace is null or e.workspace = :workspace)
  and (:task is null or e.task = :task)

-- times: times of some errors
select id, created_at / 86400000000 from observation where team = :team and id in :ids[]

-- by_day: numbers of captured and unresolved errors by day since the epoch
select e.created_at / 86400000000, count(*), sum(case when exists (
    select 1 from open_error o
    where o.team = e.team and o.task = e.task and o.observation = e.id)
  then 1 else 0 end)
from observation e
where e.team = :team and e.type = 'error' and (:workspace is null or e.workspace = :workspace)
  and (:task is null or e.task = :task)
group by e.created_at / 86400000000

-- recorded_by_day: numbers of recorded and unresolved errors by day since the epoch
select created_at / 86400000000, count(*),
  sum(case when recovery = '' then 1 else 0 end)
from error_note
where team = :team and observation is null and (:workspace is null or workspace = :workspace)
  and (:task is null or task = :task)
group by created_at / 86400000000
