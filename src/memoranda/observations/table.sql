-- known_keys: the given keys that were stored or forgotten before
select event_key from observation where team = :team and event_key in :keys[]
union
select event_key from tombstone where team = :team and event_key in :keys[]

-- namesakes: observations of events with the same host and key
select task, source, created_at, content_hash, tool, target from observation
where team = :team and event_key >= :low and event_key < :high

-- has_content_at: an observation with the given content and time
select 1 from observation
where team = :team and content_hash = :hash and created_at = :at limit 1

-- insert: one observation
insert into observation (team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary,
  tags, files, constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats,
  content_hash, redactions, created_at, recorded_at, format, source, event_key, target)
values (:team, :id, :ref, :workspace, :task, :sequence, :type, :origin, :agent, :tool, :summary,
  :tags, :files, :constraints, :salience, :tokens, :tokens_used, :duration_ms, :stage, :branch, :resolves,
  :repeats, :content_hash, :redactions, :created_at, :recorded_at, :format, :source,
  :event_key, :target)

-- insert_ref: a tag or a file, for exact filters
insert into observation_ref (team, kind, value, observation)
values (:team, :kind, :value, :observation) on conflict do nothing

-- same_content: earlier observations of a task with one of these contents, newest first (+ prevents a scan of the task)
select content_hash, id, source, created_at, repeats, tags from observation
where team = :team and task = :task and content_hash in :hashes[]
order by +sequence desc

-- open_error_targets: open error of each target of a task, unordered
select target, observation from open_error where team = :team and task = :task

-- left: open errors in tasks of a workspace whose last event was before a time, newest first
select e.task, e.target, e.observation
from open_error e join task t on t.team = e.team and t.id = e.task
where e.team = :team and t.workspace = :workspace and e.task <> :task
  and t.last_event_at < :before
order by e.observation desc limit :limit

-- open: record an open error of a target
insert into open_error (team, task, target, observation)
values (:team, :task, :target, :observation)
on conflict (team, task, target) do update set observation = excluded.observation

-- close: delete the open error of a target
delete from open_error where team = :team and task = :task and target = :target

-- close_forgotten: delete open errors that are forgotten or resolved
delete from open_error where team = :team and observation in :ids[]

-- by_ids: full rows, unordered
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats, content_hash,
  redactions, created_at, recorded_at
from observation where team = :team and id in :ids[]

-- format: content format of an observation
select format from observation where team = :team and id = :id

-- by_prefix: observations by id prefix
select id from observation where team = :team and id >= :low and id < :high order by id limit 6

-- by_ref: the observation with a short name
select id from observation where team = :team and ref = :ref

-- by_event_prefix: observations by prefix of the event key
select id from observation where team = :team and event_key >= :low and event_key < :high
order by event_key limit 2

-- in_task: by sequence number, filtered
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats, content_hash,
  redactions, created_at, recorded_at
from observation o
where team = :team and task = :task and sequence > :after and sequence < :before
  and (:type is null or type = :type)
  and (:agent is null or agent = :agent)
  and (:since is null or created_at >= :since)
  and (:until is null or created_at < :until)
  and (:with_repeats = 1 or repeats is null)
  and (:tags_needed = 0 or :tags_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'tag' and r.value in :tags[]))
  and (:files_needed = 0 or :files_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'file' and r.value in :files[]))
order by sequence limit :limit

-- in_task_typed: observations of one type, using its index
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats, content_hash,
  redactions, created_at, recorded_at
from observation o
where team = :team and task = :task and sequence > :after and sequence < :before
  and type = :type
  and (:agent is null or agent = :agent)
  and (:since is null or created_at >= :since)
  and (:until is null or created_at < :until)
  and (:with_repeats = 1 or repeats is null)
  and (:tags_needed = 0 or :tags_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'tag' and r.value in :tags[]))
  and (:files_needed = 0 or :files_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'file' and r.value in :files[]))
order by sequence limit :limit

-- recent: newest first across tasks, filtered
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats, content_hash,
  redactions, created_at, recorded_at
from observation o
where team = :team and id < :before_id
  and (:workspace is null or workspace = :workspace)
  and (:type is null or type = :type)
  and (:agent is null or agent = :agent)
  and (:since is null or created_at >= :since)
  and (:until is null or created_at < :until)
  and (:with_repeats = 1 or repeats is null)
  and (:tags_needed = 0 or :tags_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'tag' and r.value in :tags[]))
  and (:files_needed = 0 or :files_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'file' and r.value in :files[]))
order by id desc limit :limit

-- recent_tagged: newest first with one tag, using the index of tags
select o.team, o.id, o.ref, o.workspace, o.task, o.sequence, o.type, o.origin, o.agent, o.tool,
  o.summary, o.tags, o.files, o.constraints, o.salience, o.tokens, o.tokens_used, o.duration_ms,
  o.stage, o.branch, o.resolves, o.repeats, o.content_hash, o.redactions, o.created_at, o.recorded_at
from observation_ref tagged cross join observation o
where tagged.team = :team and tagged.kind = 'tag' and tagged.value = :tag
  and tagged.observation < :before_id and o.team = :team and o.id = tagged.observation
  and (:workspace is null or o.workspace = :workspace)
  and (:type is null or o.type = :type)
  and (:agent is null or o.agent = :agent)
  and (:since is null or o.created_at >= :since)
  and (:until is null or o.created_at < :until)
  and (:with_repeats = 1 or o.repeats is null)
  and (:files_needed = 0 or :files_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'file' and r.value in :files[]))
order by tagged.observation desc limit :limit

-- recent_typed: observations of one type in one workspace, newest first, using its index
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats, content_hash,
  redactions, created_at, recorded_at
from observation o
where team = :team and workspace = :workspace and type = :type and id < :before_id
  and (:agent is null or agent = :agent)
  and (:since is null or created_at >= :since)
  and (:until is null or created_at < :until)
  and (:with_repeats = 1 or repeats is null)
  and (:tags_needed = 0 or :tags_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'tag' and r.value in :tags[]))
  and (:files_needed = 0 or :files_needed <= (
    select count(*) from observation_ref r
    where r.team = o.team and r.observation = o.id and r.kind = 'file' and r.value in :files[]))
order by id desc limit :limit

-- ended: errors that the newest fixes of a workspace resolved, newest first
select f.id, f.ref, f.task, f.origin, f.summary, f.created_at, e.id, e.tags, e.summary
from (
  select team, id, ref, task, origin, summary, created_at, resolves from observation
  where team = :team and workspace = :workspace and type = 'fix' and repeats is null
  order by id desc limit :limit
) f join observation e on e.team = f.team and e.id = f.resolves
order by f.id desc

-- ended_anywhere: errors that the newest fixes of a team resolved, newest first
select f.id, f.ref, f.task, f.origin, f.summary, f.created_at, e.id, e.tags, e.summary
from (
  select team, id, ref, task, origin, summary, created_at, resolves from observation
  where team = :team and type = 'fix' and repeats is null
  order by id desc limit :limit
) f join observation e on e.team = f.team and e.id = f.resolves
order by f.id desc

-- critical: a person's constraints in a task
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats, content_hash,
  redactions, created_at, recorded_at
from observation
where team = :team and task = :task and salience = 'critical' order by sequence

-- open_errors: errors of a task that no later success resolved, newest first
select o.team, o.id, o.ref, o.workspace, o.task, o.sequence, o.type, o.origin, o.agent, o.tool,
  o.summary, o.tags, o.files, o.constraints, o.salience, o.tokens, o.tokens_used, o.duration_ms,
  o.stage, o.branch, o.resolves, o.repeats, o.content_hash, o.redactions, o.created_at,
  o.recorded_at
from open_error e join observation o on o.team = e.team and o.id = e.observation
where e.team = :team and e.task = :task order by e.observation desc limit :limit

-- open_elsewhere: whether other tasks of a workspace have errors that no later success ended
select 1 from task t where t.team = :team and t.workspace = :workspace and t.id <> :task
  and exists (select 1 from open_error e where e.team = t.team and e.task = t.id) limit 1

-- ids_of: ids, hashes and keys, for forgetting
select o.id, o.content_hash, o.event_key, o.tags, o.files, o.task, o.type, t.host, t.session, o.created_at
from observation o join task t on t.team = o.team and t.id = o.task
where o.team = :team and o.id in :ids[]

-- matching: ids in a workspace or task in a time span
select id from observation
where team = :team and (:workspace is null or workspace = :workspace)
  and (:task is null or task = :task)
  and (:since is null or created_at >= :since)
  and (:until is null or created_at < :until)
  and (:routine_only = 0 or salience in ('low', 'folded')) and id > :after
order by id limit :limit

-- delete: delete observation rows
delete from observation where team = :team and id in :ids[]

-- delete_ref: one tag or file of one observation
delete from observation_ref
where team = :team and kind = :kind and value = :value and observation = :observation

-- unlink_repeats: clear references to a forgotten observation in its repeats
update observation set repeats = null where team = :team and repeats in :ids[]

-- summaries: summaries in a scope, for measuring them
select summary from observation
where team = :team and (:workspace is null or workspace = :workspace)
  and (:task is null or task = :task) and repeats is null

-- remain: whether a task still has observations
select 1 from observation where team = :team and task = :task limit 1

-- by_event: the observation of an event
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats,
  content_hash, redactions, created_at, recorded_at
from observation where team = :team and event_key = :event_key

-- ids_after: a page of ids in the full-text index, in order
select id from observation where team = :team and id > :after and repeats is null order by id limit :limit

-- last_messages: last messages of the agent by time
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats,
  content_hash, redactions, created_at, recorded_at
from observation
where team = :team and task = :task and type = 'message' and origin = 'agent'
  and branch = 'main' and repeats is null and salience not in ('low', 'quarantined')
order by agent = 'main' desc, created_at desc, sequence desc limit :limit

-- closing_messages: messages of the main agent that no step of its own follows, newest first
select team, id, ref, workspace, task, sequence, type, origin, agent, tool, summary, tags, files,
  constraints, salience, tokens, tokens_used, duration_ms, stage, branch, resolves, repeats,
  content_hash, redactions, created_at, recorded_at
from (
  select o.*, lead(o.type) over (order by o.created_at, o.sequence) as following
  from observation o
  where o.team = :team and o.task = :task and o.branch = 'main' and (
    (o.tool is not null and o.agent = 'main' and o.repeats is null)
    or (o.type = 'message' and (o.origin = 'human' or (o.origin = 'agent' and o.agent = 'main'))
      and o.repeats is null and o.salience not in ('low', 'quarantined')))) said
where type = 'message' and origin = 'agent' and tool is null
  and (following is null or following = 'message')
order by created_at desc, sequence desc limit :limit

-- hooked: whether a hook reported any event of a task
select 1 from observation where team = :team and task = :task and source = 'hook' limit 1
