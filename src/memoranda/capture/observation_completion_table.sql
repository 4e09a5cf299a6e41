-- calls: tool calls of a task from one source between two times, by time
select id, created_at, content_hash, target from observation
where team = :team and task = :task and source = :source and tool is not null
  and created_at >= :since and created_at <= :until
order by created_at, id

-- rows: full rows by event key, with internal columns
select event_key, source, target, format, team, id, ref, workspace, task, sequence, type, origin,
  agent, tool, summary, tags, files, constraints, salience, tokens, tokens_used, duration_ms, stage,
  branch, resolves, repeats, content_hash, redactions, created_at, recorded_at
from observation where team = :team and event_key in :keys[]

-- rows_by_id: full rows by id, with internal columns
select event_key, source, target, format, team, id, ref, workspace, task, sequence, type, origin,
  agent, tool, summary, tags, files, constraints, salience, tokens, tokens_used, duration_ms, stage,
  branch, resolves, repeats, content_hash, redactions, created_at, recorded_at
from observation where team = :team and id in :ids[]

-- complete: replace an observation's data with that of a better source
update observation set type = :type, summary = :summary, tags = :tags, files = :files,
  salience = :salience, tokens = :tokens, tokens_used = :tokens_used, duration_ms = :duration_ms,
  repeats = :repeats, content_hash = :content_hash, redactions = :redactions,
  created_at = :created_at, format = :format, target = :target, branch = :branch,
  constraints = :constraints, event_key = :event_key, source = :source
where team = :team and id = :id

-- set_event_key: replace the key of an event
update observation set event_key = :event_key where team = :team and id = :id

-- retotal: recalculate the totals of a task after completions
update task_total set
  tokens = (select coalesce(sum(o.tokens), 0) from observation o
    where o.team = :team and o.task = :task),
  redactions = (select coalesce(sum(o.redactions), 0) from observation o
    where o.team = :team and o.task = :task),
  summary_characters = (select coalesce(sum(length(o.summary)), 0) from observation o
    where o.team = :team and o.task = :task)
where team = :team and task = :task

-- attempts: calls of a task with a target, without failed probes, in order of occurrence
select id, type, target, resolves from observation
where team = :team and task = :task and target is not null and repeats is null
  and branch <> 'rewound' and not (type = 'error' and salience = 'low')
order by created_at, sequence

-- classify: update the result of an attempt
update observation set type = :type, resolves = :resolves where team = :team and id = :id

-- close_all: delete the open errors of a task
delete from open_error where team = :team and task = :task

-- superseded: earlier contents of completed observations
select id from observation
where team = :team and repeats in :ids[] and tags like '%"superseded"%'

-- insert_ref: insert a tag or a file, for exact filters
insert into observation_ref (team, kind, value, observation)
values (:team, :kind, :value, :observation) on conflict do nothing

-- delete_ref: delete one tag or file of one observation
delete from observation_ref
where team = :team and kind = :kind and value = :value and observation = :observation

-- open: record an open error of a target
insert into open_error (team, task, target, observation)
values (:team, :task, :target, :observation)
