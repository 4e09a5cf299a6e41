-- raise: one, unless it was raised for the same cause before
insert into intervention (team, id, workspace, task, signal, cause, reason, metrics, raised_at,
  position, state, note)
values (:team, :id, :workspace, :task, :signal, :cause, :reason, :metrics, :raised_at, :position,
  :state, '')
on conflict (team, task, signal, cause) do nothing

-- columns: of an intervention, in order
select team, id, workspace, task, signal, cause, reason, metrics, raised_at, position, state,
  outcome, effectiveness, note, decided_by, decided_at
from intervention

-- by_id: one
where team = :team and id = :id

-- by_prefix: ids that start so
select id from intervention where team = :team and id >= :low and id < :high order by id limit 6

-- listed: newest first
where team = :team and id < :before_id
  and (:workspace is null or workspace = :workspace)
  and (:task is null or task = :task)
  and (:state is null or state = :state)
order by id desc limit :limit

-- waiting: of a task, what nobody has told the outcome of, newest first
where team = :team and task = :task and state <> 'closed' order by id desc limit 1

-- acknowledge: that a supervisor looks at it
update intervention set state = 'acknowledged'
where team = :team and id = :id and state = 'open'

-- decide: what came of it
update intervention set state = 'closed', outcome = :outcome, effectiveness = :effectiveness,
  note = :note, decided_by = :decided_by, decided_at = :decided_at
where team = :team and id = :id

-- tell_memory: that a memory stood in the context which was given about it
insert into intervention_memory (team, intervention, memory)
values (:team, :intervention, :memory) on conflict do nothing

-- memories: those that stood in the context about it
select memory from intervention_memory
where team = :team and intervention = :intervention order by memory

-- record: what came of the interventions that a memory stood in the context of
select m.memory, sum(case when i.outcome = 'helped' then 1 else 0 end),
  sum(case when i.outcome = 'hurt' then 1 else 0 end)
from intervention_memory m join intervention i on i.team = m.team and i.id = m.intervention
where m.team = :team and m.memory in :ids[] and i.outcome is not null
group by m.memory

-- untold: what is open and a channel has not been told of, oldest first
where team = :team and state = 'open' and not exists (
  select 1 from intervention_told
  where intervention_told.team = intervention.team and intervention_told.channel = :channel
    and intervention_told.intervention = intervention.id
)
order by id limit :limit

-- tell: that a channel was told
insert into intervention_told (team, channel, intervention, told_at)
values (:team, :channel, :intervention, :told_at) on conflict do nothing

-- watch: how far a task was watched
select position, state from task_watch where team = :team and task = :task

-- put_watch: over what was there
insert into task_watch (team, task, position, state) values (:team, :task, :position, :state)
on conflict (team, task) do update set position = excluded.position, state = excluded.state
