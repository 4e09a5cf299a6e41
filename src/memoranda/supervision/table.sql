-- raise: insert an intervention, unless one exists for the same cause
insert into intervention (team, id, workspace, task, signal, cause, reason, metrics, raised_at,
  position, state, note)
values (:team, :id, :workspace, :task, :signal, :cause, :reason, :metrics, :raised_at, :position,
  :state, '')
on conflict (team, task, signal, cause) do nothing

-- columns: of an intervention, in order
select team, id, workspace, task, signal, cause, reason, metrics, raised_at, position, state,
  outcome, effectiveness, note, decided_by, decided_at
from intervention

-- by_id: one intervention
where team = :team and id = :id

-- by_prefix: ids with a prefix
select id from intervention where team = :team and id >= :low and id < :high order by id limit 6

-- listed: interventions, newest first
where team = :team and id < :before_id
  and (:workspace is null or workspace = :workspace)
  and (:task is null or task = :task)
  and (:state is null or state = :state)
order by id desc limit :limit

-- waiting: the interventions of a task without an outcome, newest first
where team = :team and task = :task and state <> 'closed' order by id desc limit 1

-- acknowledge: record that a supervisor examines it
update intervention set state = 'acknowledged'
where team = :team and id = :id and state = 'open'

-- decide: store the outcome
update intervention set state = 'closed', outcome = :outcome, effectiveness = :effectiveness,
  note = :note, decided_by = :decided_by, decided_at = :decided_at
where team = :team and id = :id

-- add_context_memory: record that a memory was in the intervention's context
insert into intervention_memory (team, intervention, memory)
values (:team, :intervention, :memory) on conflict do nothing

-- memories: memories in the context of an intervention
select memory from intervention_memory
where team = :team and intervention = :intervention order by memory

-- record: outcomes of the interventions whose context contained a memory
select m.memory, sum(case when i.outcome = 'helped' then 1 else 0 end),
  sum(case when i.outcome = 'hurt' then 1 else 0 end)
from intervention_memory m join intervention i on i.team = m.team and i.id = m.intervention
where m.team = :team and m.memory in :ids[] and i.outcome is not null
group by m.memory

-- unnotified: open interventions that a channel has not shown, oldest first
where team = :team and state = 'open' and not exists (
  select 1 from intervention_told
  where intervention_told.team = intervention.team and intervention_told.channel = :channel
    and intervention_told.intervention = intervention.id
)
order by id limit :limit

-- mark_notified: record that a channel showed an intervention
insert into intervention_told (team, channel, intervention, told_at)
values (:team, :channel, :intervention, :told_at) on conflict do nothing

-- watch: last processed sequence number of a task, and the state
select position, state from task_watch where team = :team and task = :task

-- put_watch: insert or replace the detection state of a task
insert into task_watch (team, task, position, state) values (:team, :task, :position, :state)
on conflict (team, task) do update set position = excluded.position, state = excluded.state
