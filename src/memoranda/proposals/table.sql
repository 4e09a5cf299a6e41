-- put: store a proposal, replacing a pending one with the same id
insert into proposal (team, id, kind, memory, workspace, agent, task, reason, before, after, status,
  created_at, decided_at, decided_by, note, number)
select :team, :id, :kind, :memory, :workspace, :agent, :task, :reason, :before, :after, :status,
  :created_at, :decided_at, :decided_by, :note, coalesce(max(number), 0) + 1
from proposal where team = :team
on conflict (team, id) do update set kind = excluded.kind, task = excluded.task,
  reason = excluded.reason, before = excluded.before, after = excluded.after
where proposal.status = 'pending'

-- decide: store the decision on a pending proposal, once
update proposal set status = :status, decided_at = :decided_at, decided_by = :decided_by,
  note = :note
where team = :team and id = :id and status = 'pending'

-- columns: of a proposal, in order
select team, id, kind, memory, workspace, agent, task, reason, before, after, status, created_at,
  decided_at, decided_by, note, number
from proposal

-- by_id: one proposal; agents see only their own
where team = :team and id = :id and (:agent is null or agent = :agent)

-- by_number: one proposal by its number; agents see only their own
where team = :team and number = :number and (:agent is null or agent = :agent)

-- by_prefix: ids with a prefix; agents see only their own
select id from proposal
where team = :team and id >= :low and id < :high and (:agent is null or agent = :agent)
order by id limit 6

-- listed: proposals, newest first; agents see only their own
where team = :team and id < :before_id
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:agent is null or agent = :agent)
  and (:status is null or status = :status)
order by id desc limit :limit

-- waiting: an agent's pending proposal for a memory
where team = :team and memory = :memory and status = 'pending'
  and coalesce(agent, '') = coalesce(:agent, '')

-- of_memory: proposals for a memory, newest first
where team = :team and memory = :memory order by created_at desc, id desc limit 100

-- count: number of pending proposals; agents see only their own
select count(*) from proposal
where team = :team and status = 'pending'
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:agent is null or agent = :agent)

-- put_notification: insert a notification
insert into notification (team, id, notice, proposal, created_at)
values (:team, :id, :notice, :proposal, :created_at)

-- undelivered: notifications not yet sent to a channel, oldest first
select team, id, notice, proposal, created_at from notification
where team = :team and not exists (
  select 1 from delivery
  where delivery.team = notification.team and delivery.channel = :channel
    and delivery.notification = notification.id
)
order by id limit :limit

-- deliver: mark a notification as sent to a channel
insert into delivery (team, channel, notification, delivered_at)
values (:team, :channel, :notification, :delivered_at)
on conflict do nothing
