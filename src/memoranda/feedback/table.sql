-- put: insert feedback, once per message
insert into feedback (team, id, workspace, task, agent, type, confidence, reason, source, text, about,
  observation, author, state, confirmed, revision, processed_at, created_at)
values (:team, :id, :workspace, :task, :agent, :type, :confidence, :reason, :source, :text, :about,
  :observation, :author, :state, :confirmed, :revision, :processed_at, :created_at)
on conflict do nothing

-- settle: store the type and status, unless changed in the meantime
update feedback set type = :type, confidence = :confidence, reason = :reason, state = :state,
  confirmed = :confirmed, revision = :revision, processed_at = :processed_at
where team = :team and id = :id and state = :was and revision = :read

-- columns: of feedback, in order
select team, id, workspace, task, agent, type, confidence, reason, source, text, about, observation,
  author, state, confirmed, revision, processed_at, created_at
from feedback

-- by_id: one feedback item; an agent sees feedback on its own work or without an agent
where team = :team and id = :id and (:agent is null or agent is null or agent = :agent)

-- by_prefix: ids with a prefix; an agent sees feedback on its own work or without an agent
select id from feedback
where team = :team and id >= :low and id < :high
  and (:agent is null or agent is null or agent = :agent)
order by id limit 6

-- listed: feedback, newest first
where team = :team and id < :before_id
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:task is null or task = :task)
  and (:agent is null or agent is null or agent = :agent)
  and (:state is null or state = :state)
  and (:type is null or type = :type)
order by id desc limit :limit

-- asking_about: feedback in some messages that awaits a person's decision
where team = :team and state in ('asking', 'uncertain') and observation in :observations[]

-- waiting: feedback to be processed, oldest first
select id from feedback where team = :team and state = 'waiting' and id > :after
order by id limit :limit

-- asking: number of feedback items awaiting a person; for an agent, on its own work or without an agent
select count(*) from feedback where team = :team and state = 'asking'
  and (:workspace is null or workspace is null or workspace = :workspace)
  and (:agent is null or agent is null or agent = :agent)

-- limit_asking: end the questions in messages of a task or workspace, except for the newest ones
update feedback set state = 'uncertain'
where team = :team and state = 'asking' and source = 'chat' and processed_at is null
  and coalesce(workspace, '') = :workspace and (:task is null or task = :task)
  and id not in (
    select id from feedback
    where team = :team and state = 'asking' and source = 'chat' and processed_at is null
      and coalesce(workspace, '') = :workspace and (:task is null or task = :task)
    order by created_at desc, id desc limit :most)

-- add_effect: insert the next effect
insert into feedback_effect (team, feedback, number, revision, touched, target, note)
select :team, :feedback, coalesce(max(number), 0) + 1, :revision, :touched, :target, :note
from feedback_effect where team = :team and feedback = :feedback

-- effects: effects in order
select revision, touched, target, note from feedback_effect
where team = :team and feedback = :feedback order by number

-- heard: read position in a task
select position from hearing where team = :team and task = :task

-- hear: store the read position in a task
insert into hearing (team, task, position) values (:team, :task, :position)
on conflict (team, task) do update set position = excluded.position
where hearing.position < excluded.position
