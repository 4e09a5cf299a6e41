-- The schema of version 27: the tables of the embedded store, for many teams on one server. Later
-- changes are numbered files, which are also run for a new database: columns in ../upgrades/, once for
-- both engines, and what depends on the engine in upgrades/ of each.
-- Every primary, unique and foreign key starts with the team, so that tables can be spread by it.
-- Times are microseconds since the epoch, UTC. Text compares by its bytes, as in SQLite.

create schema if not exists memoranda; -- an administrator may have created it for the owner
create table if not exists memoranda.migration ( -- earlier versions created this table first, without the others
  version integer primary key, name text not null, applied_at bigint not null
);
create domain plain as text collate "C";

-- Workspaces and agents ---------------------------------------------------------------------------

create table workspace (
  team plain not null,
  id plain not null,
  name plain not null,
  root plain,
  created_at bigint not null,
  primary key (team, id),
  unique (team, name)
);

-- Names by which a workspace is recognised: its git directory, remote or folder.
create table workspace_alias (
  team plain not null,
  alias plain not null,
  workspace plain not null,
  primary key (team, alias),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);

create table agent (
  team plain not null,
  id plain not null,
  name plain not null,
  created_at bigint not null,
  last_seen_at bigint not null,
  primary key (team, id)
);

-- Tasks -------------------------------------------------------------------------------------------

create table task (
  team plain not null,
  id plain not null,
  number bigint not null,
  workspace plain not null,
  agent plain not null,
  goal plain not null,
  status plain not null,
  host plain not null,
  session plain not null,
  started_at bigint not null,
  last_event_at bigint not null,
  ended_at bigint,
  observations bigint not null,
  tokens bigint not null default 0,
  primary key (team, id),
  unique (team, number),
  unique (team, host, session),
  foreign key (team, workspace) references workspace (team, id)
);
create index task_by_time on task (team, workspace, last_event_at);
-- The newest completed tasks. Running tasks are excluded, so that capture has no cost for it.
create index task_completed on task (team, workspace, last_event_at) where status = 'completed';

-- Observations ------------------------------------------------------------------------------------

create table observation (
  team plain not null,
  id plain not null,
  ref plain not null,
  workspace plain not null,
  task plain not null,
  sequence bigint not null,
  type plain not null,
  origin plain not null,
  agent plain not null,
  tool plain,
  summary plain not null,
  tags plain not null,
  files plain not null,
  constraints plain not null,
  salience plain not null,
  tokens bigint not null,
  tokens_used bigint,
  duration_ms bigint,
  stage plain,
  branch plain not null,
  resolves plain,
  repeats plain,
  content_hash plain not null,
  redactions bigint not null,
  created_at bigint not null,
  recorded_at bigint not null,
  format plain not null,
  source plain not null,
  event_key plain not null,
  target plain,
  primary key (team, id),
  unique (team, ref),
  unique (team, task, sequence),
  unique (team, event_key),
  foreign key (team, task) references task (team, id)
) partition by hash (team);
create index observation_by_content on observation (team, content_hash, task, sequence);
create index observation_by_repeat on observation (team, repeats) where repeats is not null;
create index observation_by_salience on observation (team, task, salience, sequence)
  where salience = 'critical';
-- Exact filters of a search.
create index observation_by_type on observation (team, workspace, type, id);
-- For the newest observations of a workspace, and their number since a time.
create index observation_by_recording on observation (team, workspace, recorded_at, id);
-- For observations of one type in a task, in order, and for counting them without reading rows.
create index observation_in_task_by_type on observation (team, task, type, sequence);
-- For the errors of a team, newest first, and for their resolutions.
create index observation_errors on observation (team, id) where type = 'error';
create index observation_by_resolution on observation (team, resolves) where resolves is not null;

-- Tags and files, for exact filters; the observation row has the same lists for reading.
create table observation_ref (
  team plain not null,
  kind plain not null,
  value plain not null,
  observation plain not null,
  primary key (team, observation, kind, value)
) partition by hash (team);

-- Full contents, compressed and addressed by the SHA-256 of the text; equal texts are stored once.
create table blob (
  team plain not null,
  hash plain not null,
  codec plain not null,
  size bigint not null,
  data bytea not null,
  primary key (team, hash)
) partition by hash (team);
alter table blob alter column data set storage external; -- already compressed

-- Number of redacted secrets and private spans, never their content.
create table redaction (
  team plain not null,
  task plain not null,
  rule plain not null,
  count bigint not null,
  primary key (team, task, rule),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- Keys of forgotten events, so that another import of their transcript does not restore them.
create table tombstone (
  team plain not null,
  event_key plain not null,
  forgotten_at bigint not null,
  primary key (team, event_key)
);

-- Import position of each transcript.
create table transcript (
  team plain not null,
  path plain not null,
  head_hash plain not null,
  read_offset bigint not null,
  read_at bigint not null,
  primary key (team, path)
);

-- Outputs that an agent saw in short form. The observation contains the full output.
create table live_output (
  team plain not null,
  observation plain not null,
  whole_bytes bigint not null,
  shown_bytes bigint not null,
  whole_tokens bigint not null,
  shown_tokens bigint not null,
  expansions bigint not null, -- number of requests for the full output
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
);

-- Observations that read like an instruction to the agent: quarantine reason, and who released them.
create table quarantine (
  team plain not null,
  observation plain not null,
  reason plain not null,
  salience plain not null, -- salience after its release
  created_at bigint not null,
  held bigint not null, -- 0 after a person released it
  decided_by plain,
  decided_at bigint,
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
);
create index quarantine_by_state on quarantine (team, held, observation);

-- Totals of observations and contents -------------------------------------------------------------

-- Totals of the observations of a task, updated by the triggers below in the transaction of each
-- write, so that no reader has to add them up. A transaction that writes observations of a task
-- has already locked the task's row, so that this row causes no further waiting.
create table task_total (
  team plain not null,
  workspace plain not null,
  task plain not null,
  observations bigint not null, -- existing observations; without any, there is no row
  folded bigint not null,
  tokens bigint not null, -- tokens of the contents
  redactions bigint not null,
  summary_characters bigint not null,
  primary key (team, workspace, task)
);

create function count_observations() returns trigger language plpgsql as $$
begin
  insert into task_total as t
  select n.team, n.workspace, n.task, count(*), count(n.repeats), sum(n.tokens),
    sum(n.redactions), sum(length(n.summary))
  from written n group by n.team, n.workspace, n.task
  order by n.team, n.workspace, n.task
  on conflict (team, workspace, task) do update set
    observations = t.observations + excluded.observations, folded = t.folded + excluded.folded,
    tokens = t.tokens + excluded.tokens, redactions = t.redactions + excluded.redactions,
    summary_characters = t.summary_characters + excluded.summary_characters;
  return null;
end $$;

create trigger observation_counts after insert on observation
  referencing new table as written for each statement execute function count_observations();

create function count_observations_no_more() returns trigger language plpgsql as $$
begin
  update task_total t set observations = t.observations - g.observations,
    folded = t.folded - g.folded, tokens = t.tokens - g.tokens,
    redactions = t.redactions - g.redactions,
    summary_characters = t.summary_characters - g.summary_characters
  from (
    select o.team, o.workspace, o.task, count(*) as observations, count(o.repeats) as folded,
      sum(o.tokens) as tokens, sum(o.redactions) as redactions,
      sum(length(o.summary)) as summary_characters
    from gone o group by o.team, o.workspace, o.task
  ) as g
  where t.team = g.team and t.workspace = g.workspace and t.task = g.task;
  delete from task_total t using (select distinct o.team, o.workspace, o.task from gone o) as g
  where t.team = g.team and t.workspace = g.workspace and t.task = g.task and t.observations = 0;
  return null;
end $$;

create trigger observation_counts_no_more after delete on observation
  referencing old table as gone for each statement execute function count_observations_no_more();

create function count_observation_otherwise() returns trigger language plpgsql as $$
begin
  update task_total t
  set folded = t.folded + (new.repeats is not null)::int - (old.repeats is not null)::int
  where t.team = new.team and t.workspace = new.workspace and t.task = new.task;
  return null;
end $$;

create trigger observation_counts_otherwise after update of repeats on observation
  for each row when ((old.repeats is null) <> (new.repeats is null))
  execute function count_observation_otherwise();

-- Totals of the contents of a team, updated in the same way. Each database session has its own row,
-- so that concurrent writers do not wait for each other; only the sum of all rows is meaningful.
create table content_total (
  team plain not null,
  part bigint not null, -- id of the writing database session
  contents bigint not null,
  characters bigint not null,
  bytes bigint not null,
  primary key (team, part)
);

create function count_contents() returns trigger language plpgsql as $$
begin
  insert into content_total as t
  select n.team, pg_backend_pid() % 1024, count(*), sum(n.size), sum(length(n.data))
  from written n group by n.team order by n.team
  on conflict (team, part) do update set contents = t.contents + excluded.contents,
    characters = t.characters + excluded.characters, bytes = t.bytes + excluded.bytes;
  return null;
end $$;

create trigger blob_counts after insert on blob
  referencing new table as written for each statement execute function count_contents();

create function count_contents_no_more() returns trigger language plpgsql as $$
begin
  insert into content_total as t
  select o.team, pg_backend_pid() % 1024, -count(*), -sum(o.size), -sum(length(o.data))
  from gone o group by o.team order by o.team
  on conflict (team, part) do update set contents = t.contents + excluded.contents,
    characters = t.characters + excluded.characters, bytes = t.bytes + excluded.bytes;
  return null;
end $$;

create trigger blob_counts_no_more after delete on blob
  referencing old table as gone for each statement execute function count_contents_no_more();

-- Errors ------------------------------------------------------------------------------------------

-- Unresolved errors, one for each target of a task.
create table open_error (
  team plain not null,
  task plain not null,
  target plain not null,
  observation plain not null,
  primary key (team, task, target),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- A manually recorded error, or a note about a captured one.
create table error_note (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain, -- null if it occurred outside any task
  stage plain,
  agent plain not null, -- agent that recorded it; empty for a person
  type plain not null,
  description plain not null,
  context plain not null,
  recovery plain not null, -- its resolution; empty while it is open
  severity double precision not null, -- 0 to 1
  observation plain, -- the captured error that it is about
  position bigint not null, -- number of observations of the task at that time
  resolved_by plain, -- who reported the resolution
  resolved_at bigint,
  created_at bigint not null,
  primary key (team, id),
  unique (team, observation),
  foreign key (team, task) references task (team, id) on delete cascade,
  foreign key (team, observation) references observation (team, id) on delete cascade
);
create index error_note_by_task on error_note (team, task, id);
create index error_note_by_workspace on error_note (team, workspace, id);

-- Memories ----------------------------------------------------------------------------------------

create table memory (
  team plain not null,
  id plain not null,
  workspace plain,
  agent plain,
  visibility plain not null,
  title plain not null,
  content plain not null,
  kind plain not null,
  category plain not null,
  tags plain not null,
  origin plain not null,
  confidence double precision not null,
  critical bigint not null,
  critical_reason plain,
  protected bigint not null,
  status plain not null,
  tokens bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  content_hash plain not null,
  source plain not null default 'manual',
  approved_by plain,
  valid_from bigint,
  valid_until bigint,
  superseded_by plain, -- a memory, which may no longer exist
  uses bigint not null default 0,
  last_used bigint,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id)
) partition by hash (team);
create index memory_by_scope on memory (team, workspace, status, critical);
create index memory_by_content on memory (team, content_hash);
create index memory_by_beginning on memory (team, valid_from) where valid_from is not null;
create index memory_by_end on memory (team, valid_until) where valid_until is not null;
create index memory_in_profile on memory (team, status, category, workspace)
where valid_until is null;
-- Critical memories, found without scanning the others.
create index memory_critical on memory (team, id) where critical = 1;
-- Memories that a new one is compared with: the newest in use in its workspace and team, found
-- without scanning the others.
create index memory_in_place on memory (team, workspace, id, visibility, agent)
where status in ('approved', 'pending');

create table memory_evidence (
  team plain not null,
  memory plain not null,
  observation plain not null,
  primary key (team, memory, observation),
  foreign key (team, memory) references memory (team, id) on delete cascade
) partition by hash (team);
-- The memories based on an observation.
create index memory_evidence_by_observation on memory_evidence (team, observation);

create table memory_version (
  team plain not null,
  memory plain not null,
  version bigint not null, -- number within the memory: 1, 2, 3, …
  state plain not null, -- JSON: state before the change
  actor plain not null, -- author of the change
  reason plain not null,
  created_at bigint not null, -- time of the change
  primary key (team, memory, version),
  foreign key (team, memory) references memory (team, id) on delete cascade
);

-- Derived from the content; recreated by rebuild-index.
create table memory_encoding (
  team plain not null,
  memory plain not null,
  content_hash plain not null, -- hash of the analysed content
  version bigint not null, -- version of the analysis
  type plain, -- main function of the content: report, decide, promise, prefer or judge
  summary plain not null,
  entities plain not null, -- JSON, like the following columns
  facts plain not null,
  keywords plain not null,
  constraints plain not null,
  outcomes plain not null,
  compared plain not null, -- '', 'words' or the model whose vectors were used to compare it with others
  primary key (team, memory),
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index memory_encoding_by_compared on memory_encoding (team, compared);
create index memory_encoding_by_version on memory_encoding (team, version);

create table memory_link (
  team plain not null,
  memory plain not null,
  kind plain not null,
  other plain not null,
  reason plain not null,
  actor plain not null, -- creator of the link
  created_at bigint not null,
  primary key (team, memory, kind, other),
  foreign key (team, memory) references memory (team, id) on delete cascade,
  foreign key (team, other) references memory (team, id) on delete cascade
);
create index memory_link_by_other on memory_link (team, other);
create index memory_link_by_kind on memory_link (team, kind, memory, other);

create table memory_reference (
  team plain not null,
  memory plain not null,
  kind plain not null,
  value plain not null,
  primary key (team, memory, kind, value),
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index memory_reference_by_value on memory_reference (team, kind, value);

-- Memories that are not yet indexed or compared, so that they are found without scanning all
-- memories. Derived data; a superfluous row only costs one check.
create table memory_unread (
  team plain not null,
  memory plain not null,
  primary key (team, memory),
  foreign key (team, memory) references memory (team, id) on delete cascade
);

-- Proposals ---------------------------------------------------------------------------------------
-- Proposed changes of memories, and who was notified.

create table proposal (
  team plain not null,
  id plain not null,
  kind plain not null,
  memory plain not null,
  workspace plain,
  agent plain,
  task plain, -- may no longer exist
  reason plain not null,
  before plain not null, -- JSON
  after plain not null, -- JSON
  status plain not null,
  created_at bigint not null,
  decided_at bigint,
  decided_by plain,
  note plain not null,
  number bigint not null default 0, -- number within the team: 1, 2, 3, …
  primary key (team, id),
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index proposal_by_status on proposal (team, status, id);
create index proposal_by_memory on proposal (team, memory, status);
create unique index proposal_by_number on proposal (team, number);

create table notification (
  team plain not null,
  id plain not null,
  notice plain not null,
  proposal plain not null,
  created_at bigint not null,
  primary key (team, id),
  foreign key (team, proposal) references proposal (team, id) on delete cascade
);
create index notification_by_proposal on notification (team, proposal);

-- Notifications that a channel has shown, such as the command line or a web page.
create table delivery (
  team plain not null,
  channel plain not null,
  notification plain not null,
  delivered_at bigint not null,
  primary key (team, channel, notification),
  foreign key (team, notification) references notification (team, id) on delete cascade
);
create index delivery_by_notification on delivery (team, notification);

-- Rules that approve proposals automatically.
create table approval_rule (
  team plain not null,
  id plain not null,
  source plain,
  category plain,
  confidence double precision not null, -- minimum, 0 to 1
  origin plain not null, -- minimum trust
  agents bigint not null, -- 1: also for proposals by agents
  workspace plain,
  enabled bigint not null,
  created_by plain not null,
  created_at bigint not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);

-- Lessons -----------------------------------------------------------------------------------------
-- Results of ended tasks.

create table task_archive (
  team plain not null,
  task plain not null,
  memory plain not null, -- may have been forgotten
  position bigint not null, -- sequence number of the last observation that it covers
  status plain not null,
  written_at bigint not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

create table lesson (
  team plain not null,
  workspace plain not null,
  key plain not null, -- hash of its subject
  memory plain not null, -- may have been forgotten
  seen bigint not null, -- number of tasks that yielded it
  updated_at bigint not null,
  primary key (team, workspace, key),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);
create index lesson_by_memory on lesson (team, memory);

-- Tasks that yielded a lesson, so that none counts twice.
create table lesson_task (
  team plain not null,
  workspace plain not null,
  key plain not null,
  task plain not null,
  primary key (team, workspace, key, task),
  foreign key (team, workspace, key) references lesson (team, workspace, key) on delete cascade,
  foreign key (team, task) references task (team, id) on delete cascade
);
create index lesson_task_by_task on lesson_task (team, task);

-- Profile -----------------------------------------------------------------------------------------
-- Suggestions to shrink a profile, and the versions of the memories that they changed.

create table profile_change (
  team plain not null,
  id plain not null,
  workspace plain, -- null for the profile of the whole team
  hash plain not null, -- hash of the profile and all suggestions
  status plain not null, -- preview, applied, undone
  size_limit bigint not null,
  target bigint not null,
  used bigint not null,
  short plain not null,
  news bigint not null, -- 1 if people must be notified
  told plain not null, -- JSON: channels that were notified
  created_at bigint not null,
  applied_at bigint,
  applied_by plain,
  undone_at bigint,
  undone_by plain,
  primary key (team, id)
);
create index profile_change_by_status on profile_change (team, status, workspace);

create table profile_step (
  team plain not null,
  change plain not null,
  number bigint not null, -- number of the suggestion within the change: 1, 2, 3, …
  memory plain not null,
  place bigint not null, -- number within the suggestion
  kind plain not null,
  reason plain not null,
  freed bigint not null,
  source plain not null, -- hash of the state on which it is based
  after plain, -- JSON: state of the memory after the step; null once the step was applied
  version bigint, -- version of the memory before the step; null until the step is applied
  primary key (team, change, number, memory),
  foreign key (team, change) references profile_change (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index profile_step_by_memory on profile_step (team, memory);

-- Feedback ----------------------------------------------------------------------------------------
-- People's feedback on the work, its effects, and suggestions with their answers.

create table feedback (
  team plain not null,
  id plain not null,
  workspace plain,
  task plain,
  agent plain,
  type plain,
  confidence double precision not null, -- 0 to 1
  reason plain not null,
  source plain not null,
  text plain not null, -- verbatim
  about plain not null, -- text that it answers
  observation plain, -- message that contains it
  author plain not null,
  state plain not null,
  confirmed bigint not null,
  revision bigint not null,
  processed_at bigint,
  created_at bigint not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id),
  foreign key (team, task) references task (team, id) on delete cascade,
  foreign key (team, observation) references observation (team, id) on delete cascade
);
create unique index feedback_by_observation on feedback (team, observation);
create index feedback_by_state on feedback (team, state, id);
create index feedback_by_task on feedback (team, task, id);

create table feedback_effect (
  team plain not null,
  feedback plain not null,
  number bigint not null, -- number within the feedback: 1, 2, 3, …
  revision bigint not null, -- revision of the feedback when it was processed
  touched plain not null, -- block, memory, proposal, rule, suggestion or nothing
  target plain not null, -- id of the target, which may no longer exist
  note plain not null,
  primary key (team, feedback, number),
  foreign key (team, feedback) references feedback (team, id) on delete cascade
);

-- Suggestions that were rejected or accepted; their wording is in the answers.
create table suggestion (
  team plain not null,
  id plain not null,
  workspace plain,
  rule plain, -- memory with the rule against it, which may no longer exist
  created_at bigint not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id)
);
create index suggestion_by_workspace on suggestion (team, workspace, id);

create table suggestion_answer (
  team plain not null,
  suggestion plain not null,
  feedback plain not null,
  accepted bigint not null,
  model plain, -- model that computed the vector
  vector bytea, -- float16, little-endian; vector of the text that the feedback is about
  answered_at bigint not null,
  primary key (team, suggestion, feedback),
  foreign key (team, suggestion) references suggestion (team, id) on delete cascade,
  foreign key (team, feedback) references feedback (team, id) on delete cascade
);
create index suggestion_answer_by_feedback on suggestion_answer (team, feedback);

-- Position up to which a task's messages were searched for feedback.
create table hearing (
  team plain not null,
  task plain not null,
  position bigint not null, -- sequence number of the last processed observation
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- Blocks ------------------------------------------------------------------------------------------
-- Blocks with all their versions. Values are stored as contents, each once.

create table block (
  team plain not null,
  id plain not null,
  label plain not null,
  workspace plain,
  task plain,
  agent plain, -- agent that owns it
  shared bigint not null, -- visible only to agents that hold it
  description plain not null,
  size_limit bigint not null, -- characters
  read_only bigint not null, -- read-only for agents
  version bigint not null, -- number of the newest version
  created_at bigint not null,
  updated_at bigint not null,
  accessed_at bigint not null,
  deleted_at bigint,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id),
  foreign key (team, task) references task (team, id) on delete cascade
);
create unique index block_by_label on block
  (team, label, coalesce(workspace, ''), coalesce(task, ''), coalesce(agent, ''), shared)
  where deleted_at is null;
create index block_by_task on block (team, task) where task is not null;

create table block_version (
  team plain not null,
  block plain not null,
  version bigint not null, -- version number: 1, 2, 3, …
  value_hash plain not null,
  size bigint not null, -- characters
  tokens bigint not null,
  kind plain not null,
  source plain not null, -- system, agent or human
  agent plain,
  reason plain not null,
  created_at bigint not null,
  primary key (team, block, version),
  foreign key (team, block) references block (team, id) on delete cascade
);
create index block_version_by_value on block_version (team, value_hash);

create table block_holder (
  team plain not null,
  block plain not null,
  agent plain not null,
  role plain not null,
  attached_at bigint not null,
  primary key (team, block, agent),
  foreign key (team, block) references block (team, id) on delete cascade
);
create index block_holder_by_agent on block_holder (team, agent);

-- Checkpoints -------------------------------------------------------------------------------------
-- States are stored as contents, like the values of blocks.

create table checkpoint (
  team plain not null,
  id plain not null,
  task plain not null,
  sequence bigint not null, -- number within the task: 1, 2, 3, …
  parent plain, -- checkpoint from which the work continued
  phase plain not null,
  description plain not null,
  position bigint not null, -- sequence number of the newest observation at that time
  state_hash plain not null, -- JSON
  tokens bigint not null,
  cost bigint not null, -- millionths of a dollar
  duration_ms bigint not null,
  agent plain,
  created_at bigint not null,
  primary key (team, id),
  unique (team, task, sequence),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index checkpoint_by_state on checkpoint (team, state_hash);

create table checkpoint_block (
  team plain not null,
  checkpoint plain not null,
  block plain not null,
  version bigint not null,
  size_limit bigint not null,
  primary key (team, checkpoint, block),
  foreign key (team, checkpoint) references checkpoint (team, id) on delete cascade
);

-- End of a task's main line, and its current state.
create table task_state (
  team plain not null,
  task plain not null,
  head plain, -- a checkpoint
  state_hash plain not null, -- JSON
  updated_at bigint not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index task_state_by_state on task_state (team, state_hash);

-- Conversations -----------------------------------------------------------------------------------

-- Summary of a conversation up to some message. The messages themselves are kept.
create table compaction (
  team plain not null,
  task plain not null,
  agent plain not null,
  until_sequence bigint not null, -- sequence number of the last observation covered
  summary_hash plain not null,
  tokens bigint not null,
  source_tokens bigint not null, -- tokens of the summarised messages
  mode plain not null,
  created_at bigint not null,
  primary key (team, task, agent, until_sequence),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index compaction_by_summary on compaction (team, summary_hash);

-- Stages ------------------------------------------------------------------------------------------
-- Stages of tasks, and summaries.

create table stage (
  team plain not null,
  task plain not null,
  number bigint not null, -- number within the task: 1, 2, 3, …
  name plain not null,
  began bigint not null, -- sequence number of its first observation
  ended bigint, -- sequence number of its last observation; null while it continues
  source plain not null, -- evidence for its start
  confidence double precision not null, -- 0 to 1
  reason plain not null,
  started_at bigint not null,
  ended_at bigint,
  primary key (team, task, number),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- Position and state of stage detection in a task.
create table stage_tracking (
  team plain not null,
  task plain not null,
  position bigint not null, -- sequence number of the last processed observation
  state plain not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- Summary of a stage, or with number 0 of the task, and its quality.
create table compression (
  team plain not null,
  task plain not null,
  stage bigint not null,
  until_sequence bigint not null, -- sequence number of the last observation covered
  lines_hash plain not null, -- JSON
  tokens bigint not null,
  source_tokens bigint not null,
  target double precision not null, -- target for source tokens per token of the summary
  facts bigint not null,
  kept bigint not null,
  contradictions bigint not null,
  method plain not null,
  cost bigint not null, -- millionths of a dollar
  declined plain not null, -- why a model's text was rejected
  tries bigint not null,
  created_at bigint not null,
  primary key (team, task, stage),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index compression_by_lines on compression (team, lines_hash);
create index compression_by_time on compression (team, created_at);

-- Working memory ----------------------------------------------------------------------------------

-- Working memory: temporary notes of a task. The value is JSON; expired entries may still exist.
-- The time of writing determines which is newer, this entry or the one in Redis.
create table working (
  team plain not null,
  task plain not null,
  key plain not null,
  value plain not null,
  written_at bigint not null,
  expires_at bigint not null,
  primary key (team, task, key),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index working_by_end on working (team, expires_at);

-- Documents ---------------------------------------------------------------------------------------

-- Documents: JSON that a program stores by space and key, such as the state of a graph. The
-- values are stored as contents, so that a value with several keys is stored once.
create table document (
  team plain not null,
  workspace plain not null, -- empty for the whole team
  space plain not null,
  key plain not null,
  value_hash plain not null,
  size bigint not null, -- bytes of the value's JSON
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint, -- null for never
  primary key (team, workspace, space, key)
);
create index document_by_value on document (team, value_hash);
create index document_by_end on document (team, expires_at) where expires_at is not null;

-- Supervision -------------------------------------------------------------------------------------

-- Position and state of the supervision of a task, without texts.
create table task_watch (
  team plain not null,
  task plain not null,
  position bigint not null, -- sequence number of the last processed observation
  state plain not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- A task that a supervisor should examine.
create table intervention (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain not null,
  signal plain not null,
  cause plain not null, -- cause; one intervention for each
  reason plain not null, -- names of observations, and numbers, but no text from them
  metrics plain not null, -- JSON
  raised_at bigint not null,
  position bigint not null, -- number of observations of the task at that time
  state plain not null,
  outcome plain, -- outcome; null until it is recorded
  effectiveness double precision, -- -1 (it hurt) to 1 (it helped)
  note plain not null,
  decided_by plain,
  decided_at bigint,
  primary key (team, id),
  unique (team, task, signal, cause),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index intervention_by_state on intervention (team, state, id);

-- Memories in the context that a supervisor received for an intervention.
create table intervention_memory (
  team plain not null,
  intervention plain not null,
  memory plain not null,
  primary key (team, intervention, memory),
  foreign key (team, intervention) references intervention (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index intervention_memory_by_memory on intervention_memory (team, memory);

-- Interventions that a channel has shown, such as the command line.
create table intervention_told (
  team plain not null,
  channel plain not null,
  intervention plain not null,
  told_at bigint not null,
  primary key (team, channel, intervention),
  foreign key (team, intervention) references intervention (team, id) on delete cascade
);
create index intervention_told_by_intervention on intervention_told (team, intervention);

-- Mirror ------------------------------------------------------------------------------------------
-- Memories as files that people can read and edit, and what was written to them.

create table mirror (
  team plain not null,
  folder plain not null, -- absolute path on the machine where it was turned on
  mark plain not null, -- also stored in the folder, so that two mirrors cannot share it
  created_at bigint not null,
  synced_at bigint, -- null if it never ran
  notes plain not null, -- JSON: notes of the last runs, newest first
  primary key (team)
);

create table mirror_file (
  team plain not null,
  path plain not null, -- path relative to the folder
  kind plain not null,
  subject plain not null,
  hash plain not null, -- hash of a content that is completely in the store
  entries plain not null, -- JSON: memories in that content with the hashes of their texts
  next_hash plain not null, -- hash of the content about to be written; empty if there is none
  next_entries plain not null,
  written_at bigint not null,
  primary key (team, path),
  foreign key (team) references mirror (team) on delete cascade
);

-- Language models ---------------------------------------------------------------------------------
-- Requests to language models and their costs. A call is kept when its task is forgotten, because
-- its cost remains. Stored answers are deleted with the task and with any part of it.

create table model_call (
  team plain not null,
  id plain not null,
  operation plain not null,
  provider plain not null,
  model plain not null,
  agent plain,
  task plain, -- may no longer exist
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_tokens bigint not null,
  measured bigint not null, -- 1 if the provider reported the tokens; otherwise they are the maximum
  cost bigint not null, -- millionths of a dollar
  price plain not null, -- given, listed or free
  state plain not null, -- reserved, settled or released
  month plain not null, -- such as 2026-11
  created_at bigint not null,
  primary key (team, id)
);
create index model_call_by_month on model_call (team, month, cost);

create table model_budget (
  team plain not null,
  cost_limit bigint, -- millionths of a dollar per month; null for the setting
  alert_share double precision, -- 0 to 1; null for the setting
  alerted_month plain, -- last month in which the alert share was exceeded
  refused_month plain, -- last month with calls that the budget did not cover
  refused bigint not null default 0, -- number of such calls in that month
  refused_cost bigint not null default 0, -- highest cost of such a call
  primary key (team)
);

create table model_answer (
  team plain not null,
  task plain not null,
  hash plain not null, -- hash of the request and the model
  data bytea, -- compressed JSON; null until the answer arrives
  created_at bigint not null,
  primary key (team, task, hash),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index model_answer_by_time on model_answer (team, created_at);

create function forget_answers() returns trigger language plpgsql as $$
begin
  delete from model_answer where team = old.team and task = old.task;
  return null;
end $$;

create trigger model_answer_goes_with_its_source after delete on observation
  for each row execute function forget_answers();

-- Search ------------------------------------------------------------------------------------------

-- Full-text entries, next to their rows. There are no stop words, since people also search for "not" and "and".
create text search dictionary stems (template = snowball, language = english);

create text search configuration prose (copy = pg_catalog.english);
alter text search configuration prose
  alter mapping for asciiword, word, numword with stems;

create table observation_text (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain not null,
  words tsvector not null,
  identifiers plain not null, -- in lower case, one per line
  primary key (team, id),
  foreign key (team, id) references observation (team, id) on delete cascade
) partition by hash (team);
create index observation_text_by_word on observation_text using gin (words);
create index observation_text_by_part on observation_text
  using gin ((identifiers::text) gin_trgm_ops);

create table memory_text (
  team plain not null,
  id plain not null,
  workspace plain,
  task plain,
  words tsvector not null,
  identifiers plain not null,
  primary key (team, id),
  foreign key (team, id) references memory (team, id) on delete cascade
) partition by hash (team);
create index memory_text_by_word on memory_text using gin (words);
create index memory_text_by_part on memory_text using gin ((identifiers::text) gin_trgm_ops);

-- Search data of a record besides its full-text entry; all of it can be recreated from the record.
create table entry (
  team plain not null,
  source plain not null, -- id of the observation or memory
  kind plain not null,
  workspace plain,
  task plain,
  position bigint not null, -- position within the task
  place plain not null, -- sort key of task and position; without a task, the source
  at bigint not null,
  standing bigint not null, -- 1: a standing instruction, 2: a preference
  version bigint not null, -- version of the analysis
  features bytea not null,
  primary key (team, source)
) partition by hash (team);
create index entry_by_place on entry (team, place);
create index entry_standing on entry (team, standing, source) where standing > 0;

-- The passages of a record, each with a vector. Vectors of several models, and thus of several
-- lengths, are in one column.
create table passage (
  team plain not null,
  source plain not null,
  place bigint not null,
  workspace plain,
  task plain,
  text_hash plain not null,
  model plain not null, -- model that computed the vector; empty if there is no vector
  vector halfvec,
  dimensions integer generated always as (vector_dims(vector)) stored,
  primary key (team, source, place),
  foreign key (team, source) references entry (team, source) on delete cascade
) partition by hash (team);
create index passage_by_text on passage (team, model, text_hash);
create index passage_by_scope on passage (team, model, workspace, task);
-- The passages of a workspace in adjacent index entries, with vectors: comparing all of them takes a third
-- of the time that reading them from the table would take. It is as large as the table, 1.1 kB for
-- a passage with 384 numbers. Longer vectors do not fit into an index.
create index passage_in_scope on passage (team, model, workspace)
include (source, place, task, dimensions, vector) where dimensions <= 768;

-- One graph for each common length; unused ones are empty and cost a write almost nothing.
do $$
declare
  size int;
begin
  foreach size in array array[256, 384, 512, 768, 1024, 1536, 3072] loop
    execute format('create index passage_near_%s on passage using hnsw '
      '((vector::halfvec(%s)) halfvec_cosine_ops) with (m = 16, ef_construction = 64) '
      'where dimensions = %s', size, size, size);
  end loop;
end $$;

-- Ratings of search hits.
create table rating (
  team plain not null,
  source plain not null,
  useful bigint not null,
  useless bigint not null,
  rated_at bigint not null,
  primary key (team, source)
);

-- Speakers in conversations between several people.
create table speaker (
  team plain not null,
  workspace plain not null,
  name plain not null,
  primary key (team, workspace, name)
);

-- How often and when last a search returned a record.
create table retrieval_count (
  team plain not null,
  source plain not null,
  accesses bigint not null,
  accessed_at bigint not null,
  primary key (team, source)
);

-- Journal -----------------------------------------------------------------------------------------

create table journal (
  team plain not null,
  sequence bigint not null,
  at bigint not null,
  actor plain not null,
  operation plain not null,
  subject plain not null,
  detail plain not null,
  previous plain not null,
  hash plain not null,
  primary key (team, sequence)
) partition by hash (team);
-- For the operations on a subject, and for operations by kind except captures, the most frequent kind.
create index journal_by_subject on journal (team, subject, sequence, operation);
create index journal_by_operation on journal (team, operation, sequence)
where operation <> 'observe';

create table journal_head (
  team plain not null primary key,
  sequence bigint not null,
  hash plain not null
);

create function keep_the_journal() returns trigger language plpgsql as $$
begin
  raise exception 'the journal is append-only';
end $$;

create trigger journal_keeps_its_entries before update or delete on journal
  for each row execute function keep_the_journal();

-- Jobs --------------------------------------------------------------------------------------------

create table job (
  team plain not null,
  id plain not null,
  kind plain not null,
  subject plain not null,
  state plain not null,
  attempts bigint not null,
  run_at bigint not null,
  lease_until bigint,
  lease_owner plain,
  error plain,
  created_at bigint not null,
  ended_at bigint,
  primary key (team, id)
);
create index job_by_time on job (team, state, run_at);
create index job_by_subject on job (team, kind, subject, state);

-- Identity ----------------------------------------------------------------------------------------
-- Keys and tokens that identify callers to a server.

-- Browser sessions of the web interface are credentials too, which record how they were created.
create table credential (
  team plain not null,
  id plain not null,
  kind plain not null, -- key or token
  digest plain not null, -- keyed hash of a key; empty for a token, which is signed
  subject plain not null,
  role plain not null,
  agent plain,
  workspace plain, -- name of the workspace
  created_by plain not null,
  created_at bigint not null,
  expires_at bigint, -- null for never
  revoked_at bigint,
  revoked_by plain,
  last_used bigint, -- start of a day
  parent plain, -- for a session, the credential that started it: local, own:ID or outside:ID
  primary key (team, id)
);

-- Tokens of another issuer that are rejected, until they would expire.
create table token_revocation (
  team plain not null,
  id plain not null,
  expires_at bigint not null,
  revoked_at bigint not null,
  revoked_by plain not null,
  primary key (team, id)
);

-- Repeated requests -------------------------------------------------------------------------------

-- The first responses to HTTP requests, so that a repeated request is not carried out twice.
create table kept_answer (
  team plain not null,
  caller plain not null,
  key plain not null, -- as chosen by the caller
  request_hash plain not null,
  status integer, -- null if begun but not finished
  body plain, -- null if not finished, too large, or cleared because something was forgotten
  created_at bigint not null,
  primary key (team, caller, key)
);
create index kept_answer_by_time on kept_answer (team, created_at);

-- Writes that were committed in the last hour, for callers whose connection broke during the commit.
-- (A transaction number is not sufficient, since the server may reuse it after a crash.)
create table committed (
  team plain not null,
  id uuid not null,
  at timestamptz not null default now(),
  primary key (team, id)
);

-- Partitions --------------------------------------------------------------------------------------

-- By the hash of the team; their number is fixed when the database is created.
do $$
declare
  parent regclass;
  parts int := current_setting('memoranda.partitions')::int;
begin
  for parent in
    select c.oid::regclass from pg_class c
    where c.relkind = 'p' and c.relnamespace = current_schema()::regnamespace
  loop
    for part in 0 .. parts - 1 loop
      execute format('create table %I partition of %s for values with (modulus %s, remainder %s)',
        parent::text || '_' || part, parent, parts, part);
    end loop;
  end loop;
end $$;

-- Rights ------------------------------------------------------------------------------------------

-- A database session may see the rows of the team that it sets. If unset or empty, it sees no rows.
create function protect(protected regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('create policy team_only on %s using (team = current_setting(''memoranda.team'', '
    'true)) with check (team = current_setting(''memoranda.team'', true))', protected);
end $$;

-- Every table with team data; partitions of entry and passage are accessed only through these.
do $$
declare
  tenant regclass;
begin
  for tenant in
    select c.oid::regclass from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'team'
    where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace
      and not exists (select from pg_inherits where inhrelid = c.oid
        and inhparent in ('entry'::regclass, 'passage'::regclass))
  loop
    perform protect(tenant);
    execute format('grant select, insert, update, delete on %s to memoranda_app', tenant);
  end loop;
end $$;
grant usage on schema memoranda to memoranda_app;
grant select on migration to memoranda_app;
revoke update, delete on journal from memoranda_app;

-- Search functions --------------------------------------------------------------------------------

-- Searches that can use the index: with a policy, PostgreSQL does not run full-text operators on
-- rows that the policy might hide. A separate role, which no user can assume, therefore reads
-- all rows of the two text tables; its functions check the team first.
create policy searched on observation_text for select to memoranda_search using (true);
create policy searched on memory_text for select to memoranda_search using (true);
grant usage on schema memoranda to memoranda_search;
grant select on observation_text, memory_text to memoranda_search;

create function phrases(wanted text[]) returns tsquery language sql immutable
set search_path = memoranda, pg_catalog as $$
  select coalesce(string_agg(phraseto_tsquery('prose', phrase)::text, ' | ')
    filter (where numnode(phraseto_tsquery('prose', phrase)) > 0), '')::tsquery
  from unnest(wanted) as phrase
$$;

-- A search for words alone needs no aggregation, since each row is found once: aggregating tens of
-- thousands of rows took longer than ranking them.
create function search_observations(
  of_team text, in_workspace text, in_task text, wanted text[], parts text[], most int
) returns table (found text, score real) language plpgsql stable security definer
set search_path = memoranda, public, pg_catalog, pg_temp as $$
declare
  query tsquery := phrases(wanted);
begin
  if of_team is distinct from current_setting('memoranda.team', true) then
    return;
  end if;
  if cardinality(parts) = 0 then
    return query
      select t.id::text, ts_rank_cd(t.words, query, 1) as rank from observation_text t
      where numnode(query) > 0 and t.team = of_team and t.words @@ query
        and (in_workspace is null or t.workspace = in_workspace)
        and (in_task is null or t.task = in_task)
      order by rank desc, t.id limit most;
    return;
  end if;
  return query
    select hit.id::text, sum(hit.score)::real as total from (
      select t.id, ts_rank_cd(t.words, query, 1) as score from observation_text t
      where numnode(query) > 0 and t.team = of_team and t.words @@ query
        and (in_workspace is null or t.workspace = in_workspace)
        and (in_task is null or t.task = in_task)
      union all
      select t.id, 1 / (1 + ln(1 + length(t.identifiers)))
      from unnest(parts) as part
      join observation_text t on t.identifiers::text like part
      where t.team = of_team
        and (in_workspace is null or t.workspace = in_workspace)
        and (in_task is null or t.task = in_task)
    ) as hit group by hit.id order by total desc, hit.id limit most;
end $$;

create function search_memories(
  of_team text, in_workspace text, wanted text[], parts text[], most int
) returns table (found text, score real) language plpgsql stable security definer
set search_path = memoranda, public, pg_catalog, pg_temp as $$
declare
  query tsquery := phrases(wanted);
begin
  if of_team is distinct from current_setting('memoranda.team', true) then
    return;
  end if;
  if cardinality(parts) = 0 then
    return query
      select t.id::text, ts_rank_cd(t.words, query, 1) as rank from memory_text t
      where numnode(query) > 0 and t.team = of_team and t.words @@ query
        and (in_workspace is null or t.workspace is null or t.workspace = in_workspace)
      order by rank desc, t.id limit most;
    return;
  end if;
  return query
    select hit.id::text, sum(hit.score)::real as total from (
      select t.id, ts_rank_cd(t.words, query, 1) as score from memory_text t
      where numnode(query) > 0 and t.team = of_team and t.words @@ query
        and (in_workspace is null or t.workspace is null or t.workspace = in_workspace)
      union all
      select t.id, 1 / (1 + ln(1 + length(t.identifiers)))
      from unnest(parts) as part
      join memory_text t on t.identifiers::text like part
      where t.team = of_team
        and (in_workspace is null or t.workspace is null or t.workspace = in_workspace)
    ) as hit group by hit.id order by total desc, hit.id limit most;
end $$;

-- Document frequency of words in observations and memories. Counting stops at a number that every
-- common word reaches, so that the most common words cost no more than others.
create function count_words(of_team text, of_kind text, wanted text[], most int)
returns table (word text, records bigint) language plpgsql stable security definer
set search_path = memoranda, public, pg_catalog, pg_temp as $$
begin
  if of_team is distinct from current_setting('memoranda.team', true) then
    return;
  end if;
  return query
    select w.word, case of_kind
      when 'observation' then (select count(*) from (select 1 from observation_text t
        where t.team = of_team and t.words @@ w.query limit most) as seen)
      else (select count(*) from (select 1 from memory_text t
        where t.team = of_team and t.words @@ w.query limit most) as stated) end
    from (select one as word, phraseto_tsquery('prose', one) as query from unnest(wanted) as one)
      as w where numnode(w.query) > 0;
end $$;

grant create on schema memoranda to memoranda_search; -- required for the owner of the functions
alter function search_observations owner to memoranda_search;
alter function search_memories owner to memoranda_search;
alter function count_words owner to memoranda_search;
revoke create on schema memoranda from memoranda_search;
revoke all on function search_observations, search_memories, count_words from public;
grant execute on function search_observations, search_memories, count_words to memoranda_app;
