-- put: store a stage, replacing that with the same number
insert into stage (team, task, number, name, began, ended, source, confidence, reason, started_at,
  ended_at)
values (:team, :task, :number, :name, :began, :ended, :source, :confidence, :reason, :started_at,
  :ended_at)
on conflict (team, task, number) do update set name = excluded.name, began = excluded.began,
  ended = excluded.ended, source = excluded.source, confidence = excluded.confidence,
  reason = excluded.reason, started_at = excluded.started_at, ended_at = excluded.ended_at

-- label: set the stage of the observations in a range
update observation set stage = :stage
where team = :team and task = :task and sequence >= :first and sequence <= :last
  and (stage is null or stage <> :stage)

-- labelled: observations of some stages, newest first
select id from observation
where team = :team and task = :task and stage in :stages[] and repeats is null
order by sequence desc limit :limit

-- columns: of a stage, in order
select team, task, number, name, began, ended, source, confidence, reason, started_at, ended_at
from stage

-- listed: stages after a number, in order
where team = :team and task = :task and number > :after order by number limit :limit

-- by_number: one stage
where team = :team and task = :task and number = :number

-- newest: current stage of a task
where team = :team and task = :task order by number desc limit 1

-- extent: number and tokens of the observations in a range
select count(*), coalesce(sum(tokens), 0) from observation
where team = :team and task = :task and sequence >= :first and sequence <= :last

-- tracking: processing position in a task
select position, state from stage_tracking where team = :team and task = :task

-- put_tracking: store the position, replacing the previous one
insert into stage_tracking (team, task, position, state) values (:team, :task, :position, :state)
on conflict (team, task) do update set position = excluded.position, state = excluded.state
