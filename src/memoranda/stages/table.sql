-- put: a stage over the one of its number
insert into stage (team, task, number, name, began, ended, source, confidence, reason, started_at,
  ended_at)
values (:team, :task, :number, :name, :began, :ended, :source, :confidence, :reason, :started_at,
  :ended_at)
on conflict (team, task, number) do update set name = excluded.name, began = excluded.began,
  ended = excluded.ended, source = excluded.source, confidence = excluded.confidence,
  reason = excluded.reason, started_at = excluded.started_at, ended_at = excluded.ended_at

-- label: what the observations of a span belong to
update observation set stage = :stage
where team = :team and task = :task and sequence >= :first and sequence <= :last
  and (stage is null or stage <> :stage)

-- labelled: what belongs to some stages, newest first
select id from observation
where team = :team and task = :task and stage in :stages[] and repeats is null
order by sequence desc limit :limit

-- columns: of a stage, in order
select team, task, number, name, began, ended, source, confidence, reason, started_at, ended_at
from stage

-- listed: in order, those after a number
where team = :team and task = :task and number > :after order by number limit :limit

-- by_number: one stage
where team = :team and task = :task and number = :number

-- newest: the one that a task is in
where team = :team and task = :task order by number desc limit 1

-- extent: how many observations a span has, and their tokens
select count(*), coalesce(sum(tokens), 0) from observation
where team = :team and task = :task and sequence >= :first and sequence <= :last

-- tracking: how far a task was read
select position, state from stage_tracking where team = :team and task = :task

-- put_tracking: over what was there
insert into stage_tracking (team, task, position, state) values (:team, :task, :position, :state)
on conflict (team, task) do update set position = excluded.position, state = excluded.state
