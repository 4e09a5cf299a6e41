-- The schema of version 27. Later changes are numbered files, also run for a new store: columns
-- in ../upgrades/, once for both engines, and what depends on the engine in upgrades/ of each.
-- Every key starts with the team. Times are microseconds since the epoch, UTC.

create table migration (
  version integer primary key,
  name text not null,
  applied_at integer not null
) strict;

-- Workspaces and agents ---------------------------------------------------------------------------

create table workspace (
  team text not null,
  id text not null,
  name text not null,
  root text,
  created_at integer not null,
  primary key (team, id),
  unique (team, name)
) strict, without rowid;

-- Names by which a workspace is recognised: its git directory, remote or folder.
create table workspace_alias (
  team text not null,
  alias text not null,
  workspace text not null,
  primary key (team, alias),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
) strict, without rowid;

create table agent (
  team text not null,
  id text not null,
  name text not null,
  created_at integer not null,
  last_seen_at integer not null,
  primary key (team, id)
) strict, without rowid;

-- Tasks -------------------------------------------------------------------------------------------

create table task (
  team text not null,
  id text not null,
  number integer not null,
  workspace text not null,
  agent text not null,
  goal text not null,
  status text not null,
  host text not null,
  session text not null,
  started_at integer not null,
  last_event_at integer not null,
  ended_at integer,
  observations integer not null,
  tokens integer not null default 0,
  primary key (team, id),
  unique (team, number),
  unique (team, host, session),
  foreign key (team, workspace) references workspace (team, id)
) strict, without rowid;
create index task_by_time on task (team, workspace, last_event_at);
-- The newest completed tasks. Running tasks are excluded, so that capture has no cost for it.
create index task_completed on task (team, workspace, last_event_at) where status = 'completed';

-- Observations ------------------------------------------------------------------------------------

create table observation (
  docid integer primary key, -- id of the row in the full-text index, which VACUUM preserves
  team text not null,
  id text not null,
  ref text not null,
  workspace text not null,
  task text not null,
  sequence integer not null,
  type text not null,
  origin text not null,
  agent text not null,
  tool text,
  summary text not null,
  tags text not null,
  files text not null,
  constraints text not null,
  salience text not null,
  tokens integer not null,
  tokens_used integer,
  duration_ms integer,
  stage text,
  branch text not null,
  resolves text,
  repeats text,
  content_hash text not null,
  redactions integer not null,
  created_at integer not null,
  recorded_at integer not null,
  format text not null,
  source text not null,
  event_key text not null,
  target text,
  unique (team, id),
  unique (team, ref),
  unique (team, task, sequence),
  unique (team, event_key),
  foreign key (team, task) references task (team, id)
) strict;
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
  team text not null,
  kind text not null,
  value text not null,
  observation text not null,
  primary key (team, kind, value, observation)
) strict, without rowid;

-- Full contents, compressed and addressed by the SHA-256 of the text; equal texts are stored once.
create table blob (
  team text not null,
  hash text not null,
  codec text not null,
  size integer not null,
  data blob not null,
  primary key (team, hash)
) strict;

-- Number of redacted secrets and private spans, never their content.
create table redaction (
  team text not null,
  task text not null,
  rule text not null,
  count integer not null,
  primary key (team, task, rule),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- Keys of forgotten events, so that another import of their transcript does not restore them.
create table tombstone (
  team text not null,
  event_key text not null,
  forgotten_at integer not null,
  primary key (team, event_key)
) strict, without rowid;

-- Import position of each transcript.
create table transcript (
  team text not null,
  path text not null,
  head_hash text not null,
  read_offset integer not null,
  read_at integer not null,
  primary key (team, path)
) strict, without rowid;

-- Outputs that an agent saw in short form. The observation contains the full output.
create table live_output (
  team text not null,
  observation text not null,
  whole_bytes integer not null,
  shown_bytes integer not null,
  whole_tokens integer not null,
  shown_tokens integer not null,
  expansions integer not null, -- number of requests for the full output
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict, without rowid;

-- Observations that read like an instruction to the agent: quarantine reason, and who released them.
create table quarantine (
  team text not null,
  observation text not null,
  reason text not null,
  salience text not null, -- salience after its release
  created_at integer not null,
  held integer not null, -- 0 after a person released it
  decided_by text,
  decided_at integer,
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict;
create index quarantine_by_state on quarantine (team, held, observation);

-- Totals of observations and contents -------------------------------------------------------------

-- Totals of the observations of a task, updated by the triggers below in the transaction of each
-- write, so that no reader has to add them up.
create table task_total (
  team text not null,
  workspace text not null,
  task text not null,
  observations integer not null, -- existing observations; without any, there is no row
  folded integer not null,
  tokens integer not null, -- tokens of the contents
  redactions integer not null,
  summary_characters integer not null,
  primary key (team, workspace, task)
) strict, without rowid;

create trigger observation_counts after insert on observation begin
  insert into task_total values (new.team, new.workspace, new.task, 1, new.repeats is not null,
    new.tokens, new.redactions, length(new.summary))
  on conflict (team, workspace, task) do update set observations = observations + 1,
    folded = folded + excluded.folded, tokens = tokens + excluded.tokens,
    redactions = redactions + excluded.redactions,
    summary_characters = summary_characters + excluded.summary_characters;
end;

create trigger observation_counts_no_more after delete on observation begin
  update task_total set observations = observations - 1,
    folded = folded - (old.repeats is not null), tokens = tokens - old.tokens,
    redactions = redactions - old.redactions,
    summary_characters = summary_characters - length(old.summary)
  where team = old.team and workspace = old.workspace and task = old.task;
  delete from task_total
  where team = old.team and workspace = old.workspace and task = old.task and observations = 0;
end;

create trigger observation_counts_otherwise
after update of repeats on observation
when (old.repeats is null) <> (new.repeats is null) begin
  update task_total set folded = folded + (new.repeats is not null) - (old.repeats is not null)
  where team = new.team and workspace = new.workspace and task = new.task;
end;

-- Totals of the contents of a team, updated in the same way.
create table content_total (
  team text not null,
  part integer not null, -- always 0; on servers there are several, so that writers do not wait for each other
  contents integer not null,
  characters integer not null,
  bytes integer not null,
  primary key (team, part)
) strict, without rowid;

create trigger blob_counts after insert on blob begin
  insert into content_total values (new.team, 0, 1, new.size, length(new.data))
  on conflict (team, part) do update set contents = contents + 1,
    characters = characters + excluded.characters, bytes = bytes + excluded.bytes;
end;

create trigger blob_counts_no_more after delete on blob begin
  update content_total set contents = contents - 1, characters = characters - old.size,
    bytes = bytes - length(old.data)
  where team = old.team and part = 0;
end;

-- Errors ------------------------------------------------------------------------------------------

-- Unresolved errors, one for each target of a task.
create table open_error (
  team text not null,
  task text not null,
  target text not null,
  observation text not null,
  primary key (team, task, target),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- A manually recorded error, or a note about a captured one.
create table error_note (
  team text not null,
  id text not null,
  workspace text not null,
  task text, -- null if it occurred outside any task
  stage text,
  agent text not null, -- agent that recorded it; empty for a person
  type text not null,
  description text not null,
  context text not null,
  recovery text not null, -- its resolution; empty while it is open
  severity real not null, -- 0 to 1
  observation text, -- the captured error that it is about
  position integer not null, -- number of observations of the task at that time
  resolved_by text, -- who reported the resolution
  resolved_at integer,
  created_at integer not null,
  primary key (team, id),
  unique (team, observation),
  foreign key (team, task) references task (team, id) on delete cascade,
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict;
create index error_note_by_task on error_note (team, task, id);
create index error_note_by_workspace on error_note (team, workspace, id);

-- Memories ----------------------------------------------------------------------------------------

create table memory (
  docid integer primary key,
  team text not null,
  id text not null,
  workspace text,
  agent text,
  visibility text not null,
  title text not null,
  content text not null,
  kind text not null,
  category text not null,
  tags text not null,
  origin text not null,
  confidence real not null,
  critical integer not null,
  critical_reason text,
  protected integer not null,
  status text not null,
  tokens integer not null,
  created_at integer not null,
  updated_at integer not null,
  content_hash text not null,
  source text not null default 'manual',
  approved_by text,
  valid_from integer,
  valid_until integer,
  superseded_by text, -- a memory, which may no longer exist
  uses integer not null default 0,
  last_used integer,
  unique (team, id),
  foreign key (team, workspace) references workspace (team, id)
) strict;
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
  team text not null,
  memory text not null,
  observation text not null,
  primary key (team, memory, observation),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict, without rowid;
-- The memories based on an observation.
create index memory_evidence_by_observation on memory_evidence (team, observation);

create table memory_version (
  team text not null,
  memory text not null,
  version integer not null, -- number within the memory: 1, 2, 3, …
  state text not null, -- JSON: state before the change
  actor text not null, -- author of the change
  reason text not null,
  created_at integer not null, -- time of the change
  primary key (team, memory, version),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict;

-- Derived from the content; recreated by rebuild-index.
create table memory_encoding (
  team text not null,
  memory text not null,
  content_hash text not null, -- hash of the analysed content
  version integer not null, -- version of the analysis
  type text, -- main function of the content: report, decide, promise, prefer or judge
  summary text not null,
  entities text not null, -- JSON, like the following columns
  facts text not null,
  keywords text not null,
  constraints text not null,
  outcomes text not null,
  compared text not null, -- '', 'words' or the model whose vectors were used to compare it with others
  primary key (team, memory),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict;
create index memory_encoding_by_compared on memory_encoding (team, compared);
create index memory_encoding_by_version on memory_encoding (team, version);

create table memory_link (
  team text not null,
  memory text not null,
  kind text not null,
  other text not null,
  reason text not null,
  actor text not null, -- creator of the link
  created_at integer not null,
  primary key (team, memory, kind, other),
  foreign key (team, memory) references memory (team, id) on delete cascade,
  foreign key (team, other) references memory (team, id) on delete cascade
) strict, without rowid;
create index memory_link_by_other on memory_link (team, other);
create index memory_link_by_kind on memory_link (team, kind, memory, other);

create table memory_reference (
  team text not null,
  memory text not null,
  kind text not null,
  value text not null,
  primary key (team, memory, kind, value),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict, without rowid;
create index memory_reference_by_value on memory_reference (team, kind, value);

-- Memories that are not yet indexed or compared, so that they are found without scanning all
-- memories. Derived data; a superfluous row only costs one check.
create table memory_unread (
  team text not null,
  memory text not null,
  primary key (team, memory),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict, without rowid;

-- Proposals ---------------------------------------------------------------------------------------
-- Proposed changes of memories, and who was notified.

create table proposal (
  team text not null,
  id text not null,
  kind text not null,
  memory text not null,
  workspace text,
  agent text,
  task text, -- may no longer exist
  reason text not null,
  before text not null, -- JSON
  after text not null, -- JSON
  status text not null,
  created_at integer not null,
  decided_at integer,
  decided_by text,
  note text not null,
  number integer not null default 0, -- number within the team: 1, 2, 3, …
  primary key (team, id),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict;
create index proposal_by_status on proposal (team, status, id);
create index proposal_by_memory on proposal (team, memory, status);
create unique index proposal_by_number on proposal (team, number);

create table notification (
  team text not null,
  id text not null,
  notice text not null,
  proposal text not null,
  created_at integer not null,
  primary key (team, id),
  foreign key (team, proposal) references proposal (team, id) on delete cascade
) strict;
create index notification_by_proposal on notification (team, proposal);

-- Notifications that a channel has shown, such as the command line or a web page.
create table delivery (
  team text not null,
  channel text not null,
  notification text not null,
  delivered_at integer not null,
  primary key (team, channel, notification),
  foreign key (team, notification) references notification (team, id) on delete cascade
) strict, without rowid;
create index delivery_by_notification on delivery (team, notification);

-- Rules that approve proposals automatically.
create table approval_rule (
  team text not null,
  id text not null,
  source text,
  category text,
  confidence real not null, -- minimum, 0 to 1
  origin text not null, -- minimum trust
  agents integer not null, -- 1: also for proposals by agents
  workspace text,
  enabled integer not null,
  created_by text not null,
  created_at integer not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
) strict, without rowid;

-- Lessons -----------------------------------------------------------------------------------------
-- Results of ended tasks.

create table task_archive (
  team text not null,
  task text not null,
  memory text not null, -- may have been forgotten
  position integer not null, -- sequence number of the last observation that it covers
  status text not null,
  written_at integer not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

create table lesson (
  team text not null,
  workspace text not null,
  key text not null, -- hash of its subject
  memory text not null, -- may have been forgotten
  seen integer not null, -- number of tasks that yielded it
  updated_at integer not null,
  primary key (team, workspace, key),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
) strict, without rowid;
create index lesson_by_memory on lesson (team, memory);

-- Tasks that yielded a lesson, so that none counts twice.
create table lesson_task (
  team text not null,
  workspace text not null,
  key text not null,
  task text not null,
  primary key (team, workspace, key, task),
  foreign key (team, workspace, key) references lesson (team, workspace, key) on delete cascade,
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;
create index lesson_task_by_task on lesson_task (team, task);

-- Profile -----------------------------------------------------------------------------------------
-- Suggestions to shrink a profile, and the versions of the memories that they changed.

create table profile_change (
  team text not null,
  id text not null,
  workspace text, -- null for the profile of the whole team
  hash text not null, -- hash of the profile and all suggestions
  status text not null, -- preview, applied, undone
  size_limit integer not null,
  target integer not null,
  used integer not null,
  short text not null,
  news integer not null, -- 1 if people must be notified
  told text not null, -- JSON: channels that were notified
  created_at integer not null,
  applied_at integer,
  applied_by text,
  undone_at integer,
  undone_by text,
  primary key (team, id)
) strict;
create index profile_change_by_status on profile_change (team, status, workspace);

create table profile_step (
  team text not null,
  change text not null,
  number integer not null, -- number of the suggestion within the change: 1, 2, 3, …
  memory text not null,
  place integer not null, -- number within the suggestion
  kind text not null,
  reason text not null,
  freed integer not null,
  source text not null, -- hash of the state on which it is based
  after text, -- JSON: state of the memory after the step; null once the step was applied
  version integer, -- version of the memory before the step; null until the step is applied
  primary key (team, change, number, memory),
  foreign key (team, change) references profile_change (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict;
create index profile_step_by_memory on profile_step (team, memory);

-- Feedback ----------------------------------------------------------------------------------------
-- People's feedback on the work, its effects, and suggestions with their answers.

create table feedback (
  team text not null,
  id text not null,
  workspace text,
  task text,
  agent text,
  type text,
  confidence real not null, -- 0 to 1
  reason text not null,
  source text not null,
  text text not null, -- verbatim
  about text not null, -- text that it answers
  observation text, -- message that contains it
  author text not null,
  state text not null,
  confirmed integer not null,
  revision integer not null,
  processed_at integer,
  created_at integer not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id),
  foreign key (team, task) references task (team, id) on delete cascade,
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict;
create unique index feedback_by_observation on feedback (team, observation);
create index feedback_by_state on feedback (team, state, id);
create index feedback_by_task on feedback (team, task, id);

create table feedback_effect (
  team text not null,
  feedback text not null,
  number integer not null, -- number within the feedback: 1, 2, 3, …
  revision integer not null, -- revision of the feedback when it was processed
  touched text not null, -- block, memory, proposal, rule, suggestion or nothing
  target text not null, -- id of the target, which may no longer exist
  note text not null,
  primary key (team, feedback, number),
  foreign key (team, feedback) references feedback (team, id) on delete cascade
) strict, without rowid;

-- Suggestions that were rejected or accepted; their wording is in the answers.
create table suggestion (
  team text not null,
  id text not null,
  workspace text,
  rule text, -- memory with the rule against it, which may no longer exist
  created_at integer not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id)
) strict;
create index suggestion_by_workspace on suggestion (team, workspace, id);

create table suggestion_answer (
  team text not null,
  suggestion text not null,
  feedback text not null,
  accepted integer not null,
  model text, -- model that computed the vector
  vector blob, -- float16, little-endian; vector of the text that the feedback is about
  answered_at integer not null,
  primary key (team, suggestion, feedback),
  foreign key (team, suggestion) references suggestion (team, id) on delete cascade,
  foreign key (team, feedback) references feedback (team, id) on delete cascade
) strict;
create index suggestion_answer_by_feedback on suggestion_answer (team, feedback);

-- Position up to which a task's messages were searched for feedback.
create table hearing (
  team text not null,
  task text not null,
  position integer not null, -- sequence number of the last processed observation
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- Blocks ------------------------------------------------------------------------------------------
-- Blocks with all their versions. Values are stored as contents, each once.

create table block (
  team text not null,
  id text not null,
  label text not null,
  workspace text,
  task text,
  agent text, -- agent that owns it
  shared integer not null, -- visible only to agents that hold it
  description text not null,
  size_limit integer not null, -- characters
  read_only integer not null, -- read-only for agents
  version integer not null, -- number of the newest version
  created_at integer not null,
  updated_at integer not null,
  accessed_at integer not null,
  deleted_at integer,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create unique index block_by_label on block
  (team, label, coalesce(workspace, ''), coalesce(task, ''), coalesce(agent, ''), shared)
  where deleted_at is null;
create index block_by_task on block (team, task) where task is not null;

create table block_version (
  team text not null,
  block text not null,
  version integer not null, -- version number: 1, 2, 3, …
  value_hash text not null,
  size integer not null, -- characters
  tokens integer not null,
  kind text not null,
  source text not null, -- system, agent or human
  agent text,
  reason text not null,
  created_at integer not null,
  primary key (team, block, version),
  foreign key (team, block) references block (team, id) on delete cascade
) strict;
create index block_version_by_value on block_version (team, value_hash);

create table block_holder (
  team text not null,
  block text not null,
  agent text not null,
  role text not null,
  attached_at integer not null,
  primary key (team, block, agent),
  foreign key (team, block) references block (team, id) on delete cascade
) strict, without rowid;
create index block_holder_by_agent on block_holder (team, agent);

-- Checkpoints -------------------------------------------------------------------------------------
-- States are stored as contents, like the values of blocks.

create table checkpoint (
  team text not null,
  id text not null,
  task text not null,
  sequence integer not null, -- number within the task: 1, 2, 3, …
  parent text, -- checkpoint from which the work continued
  phase text not null,
  description text not null,
  position integer not null, -- sequence number of the newest observation at that time
  state_hash text not null, -- JSON
  tokens integer not null,
  cost integer not null, -- millionths of a dollar
  duration_ms integer not null,
  agent text,
  created_at integer not null,
  primary key (team, id),
  unique (team, task, sequence),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index checkpoint_by_state on checkpoint (team, state_hash);

create table checkpoint_block (
  team text not null,
  checkpoint text not null,
  block text not null,
  version integer not null,
  size_limit integer not null,
  primary key (team, checkpoint, block),
  foreign key (team, checkpoint) references checkpoint (team, id) on delete cascade
) strict, without rowid;

-- End of a task's main line, and its current state.
create table task_state (
  team text not null,
  task text not null,
  head text, -- a checkpoint
  state_hash text not null, -- JSON
  updated_at integer not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;
create index task_state_by_state on task_state (team, state_hash);

-- Conversations -----------------------------------------------------------------------------------

-- Summary of a conversation up to some message. The messages themselves are kept.
create table compaction (
  team text not null,
  task text not null,
  agent text not null,
  until_sequence integer not null, -- sequence number of the last observation covered
  summary_hash text not null,
  tokens integer not null,
  source_tokens integer not null, -- tokens of the summarised messages
  mode text not null,
  created_at integer not null,
  primary key (team, task, agent, until_sequence),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index compaction_by_summary on compaction (team, summary_hash);

-- Stages ------------------------------------------------------------------------------------------
-- Stages of tasks, and summaries.

create table stage (
  team text not null,
  task text not null,
  number integer not null, -- number within the task: 1, 2, 3, …
  name text not null,
  began integer not null, -- sequence number of its first observation
  ended integer, -- sequence number of its last observation; null while it continues
  source text not null, -- evidence for its start
  confidence real not null, -- 0 to 1
  reason text not null,
  started_at integer not null,
  ended_at integer,
  primary key (team, task, number),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- Position and state of stage detection in a task.
create table stage_tracking (
  team text not null,
  task text not null,
  position integer not null, -- sequence number of the last processed observation
  state text not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- Summary of a stage, or with number 0 of the task, and its quality.
create table compression (
  team text not null,
  task text not null,
  stage integer not null,
  until_sequence integer not null, -- sequence number of the last observation covered
  lines_hash text not null, -- JSON
  tokens integer not null,
  source_tokens integer not null,
  target real not null, -- target for source tokens per token of the summary
  facts integer not null,
  kept integer not null,
  contradictions integer not null,
  method text not null,
  cost integer not null, -- millionths of a dollar
  declined text not null, -- why a model's text was rejected
  tries integer not null,
  created_at integer not null,
  primary key (team, task, stage),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index compression_by_lines on compression (team, lines_hash);
create index compression_by_time on compression (team, created_at);

-- Working memory ----------------------------------------------------------------------------------

-- Working memory: temporary notes of a task. The value is JSON; expired entries may still exist.
-- The time of writing determines which is newer, this entry or the one in Redis.
create table working (
  team text not null,
  task text not null,
  key text not null,
  value text not null,
  written_at integer not null,
  expires_at integer not null,
  primary key (team, task, key),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index working_by_end on working (team, expires_at);

-- Documents ---------------------------------------------------------------------------------------

-- Documents: JSON that a program stores by space and key, such as the state of a graph. The
-- values are stored as contents, so that a value with several keys is stored once.
create table document (
  team text not null,
  workspace text not null, -- empty for the whole team
  space text not null,
  key text not null,
  value_hash text not null,
  size integer not null, -- bytes of the value's JSON
  version integer not null,
  created_at integer not null,
  updated_at integer not null,
  expires_at integer, -- null for never
  primary key (team, workspace, space, key)
) strict;
create index document_by_value on document (team, value_hash);
create index document_by_end on document (team, expires_at) where expires_at is not null;

-- Supervision -------------------------------------------------------------------------------------

-- Position and state of the supervision of a task, without texts.
create table task_watch (
  team text not null,
  task text not null,
  position integer not null, -- sequence number of the last processed observation
  state text not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- A task that a supervisor should examine.
create table intervention (
  team text not null,
  id text not null,
  workspace text not null,
  task text not null,
  signal text not null,
  cause text not null, -- cause; one intervention for each
  reason text not null, -- names of observations, and numbers, but no text from them
  metrics text not null, -- JSON
  raised_at integer not null,
  position integer not null, -- number of observations of the task at that time
  state text not null,
  outcome text, -- outcome; null until it is recorded
  effectiveness real, -- -1 (it hurt) to 1 (it helped)
  note text not null,
  decided_by text,
  decided_at integer,
  primary key (team, id),
  unique (team, task, signal, cause),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index intervention_by_state on intervention (team, state, id);

-- Memories in the context that a supervisor received for an intervention.
create table intervention_memory (
  team text not null,
  intervention text not null,
  memory text not null,
  primary key (team, intervention, memory),
  foreign key (team, intervention) references intervention (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict, without rowid;
create index intervention_memory_by_memory on intervention_memory (team, memory);

-- Interventions that a channel has shown, such as the command line.
create table intervention_told (
  team text not null,
  channel text not null,
  intervention text not null,
  told_at integer not null,
  primary key (team, channel, intervention),
  foreign key (team, intervention) references intervention (team, id) on delete cascade
) strict, without rowid;
create index intervention_told_by_intervention on intervention_told (team, intervention);

-- Mirror ------------------------------------------------------------------------------------------
-- Memories as files that people can read and edit, and what was written to them.

create table mirror (
  team text not null,
  folder text not null, -- absolute path on the machine where it was turned on
  mark text not null, -- also stored in the folder, so that two mirrors cannot share it
  created_at integer not null,
  synced_at integer, -- null if it never ran
  notes text not null, -- JSON: notes of the last runs, newest first
  primary key (team)
) strict;

create table mirror_file (
  team text not null,
  path text not null, -- path relative to the folder
  kind text not null,
  subject text not null,
  hash text not null, -- hash of a content that is completely in the store
  entries text not null, -- JSON: memories in that content with the hashes of their texts
  next_hash text not null, -- hash of the content about to be written; empty if there is none
  next_entries text not null,
  written_at integer not null,
  primary key (team, path),
  foreign key (team) references mirror (team) on delete cascade
) strict;

-- Language models ---------------------------------------------------------------------------------
-- Requests to language models and their costs. A call is kept when its task is forgotten, because
-- its cost remains. Stored answers are deleted with the task and with any part of it.

create table model_call (
  team text not null,
  id text not null,
  operation text not null,
  provider text not null,
  model text not null,
  agent text,
  task text, -- may no longer exist
  input_tokens integer not null,
  output_tokens integer not null,
  cached_tokens integer not null,
  measured integer not null, -- 1 if the provider reported the tokens; otherwise they are the maximum
  cost integer not null, -- millionths of a dollar
  price text not null, -- given, listed or free
  state text not null, -- reserved, settled or released
  month text not null, -- such as 2026-11
  created_at integer not null,
  primary key (team, id)
) strict;
create index model_call_by_month on model_call (team, month, cost);

create table model_budget (
  team text not null,
  cost_limit integer, -- millionths of a dollar per month; null for the setting
  alert_share real, -- 0 to 1; null for the setting
  alerted_month text, -- last month in which the alert share was exceeded
  refused_month text, -- last month with calls that the budget did not cover
  refused integer not null default 0, -- number of such calls in that month
  refused_cost integer not null default 0, -- highest cost of such a call
  primary key (team)
) strict, without rowid;

create table model_answer (
  team text not null,
  task text not null,
  hash text not null, -- hash of the request and the model
  data blob, -- compressed JSON; null until the answer arrives
  created_at integer not null,
  primary key (team, task, hash),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index model_answer_by_time on model_answer (team, created_at);

create trigger model_answer_goes_with_its_source after delete on observation begin
  delete from model_answer where team = old.team and task = old.task;
end;

-- Search ------------------------------------------------------------------------------------------

-- Full-text index. Contentless: the words are in the index, the text itself in observation and blob.
create virtual table observation_words using fts5 (
  scope, body, tokenize = "porter unicode61", content = '', contentless_delete = 1
);

create virtual table observation_terms using fts5 (
  body, tokenize = "trigram", content = '', contentless_delete = 1
);

create virtual table memory_words using fts5 (
  scope, body, tokenize = "porter unicode61", content = '', contentless_delete = 1
);

create virtual table memory_terms using fts5 (
  body, tokenize = "trigram", content = '', contentless_delete = 1
);

-- Number of records that contain each word.
create virtual table observation_vocabulary using fts5vocab(observation_words, row);

create virtual table memory_vocabulary using fts5vocab(memory_words, row);

-- Search data of a record besides its full-text entry; all of it can be recreated from the record.
create table entry (
  team text not null,
  source text not null, -- id of the observation or memory
  kind text not null,
  workspace text,
  task text,
  position integer not null, -- position within the task
  place text not null, -- sort key of task and position; without a task, the source
  at integer not null,
  standing integer not null, -- 1: a standing instruction, 2: a preference
  version integer not null, -- version of the analysis
  features blob not null,
  primary key (team, source)
) strict; -- with rowids, so that consecutive entries of a task are adjacent
create index entry_by_place on entry (team, place);
create index entry_standing on entry (team, standing, source) where standing > 0;

-- The passages of a record, each with a vector.
create table passage (
  docid integer primary key,
  team text not null,
  source text not null,
  place integer not null,
  workspace text,
  task text,
  text_hash text not null,
  model text not null, -- model that computed the vector; empty if there is no vector
  vector blob, -- float16
  block integer, -- sealed block with its sign bits; null for the unsealed tail
  foreign key (team, source) references entry (team, source) on delete cascade
) strict;
create unique index passage_by_source on passage (team, source, place);
create index passage_by_text on passage (team, model, text_hash);
create index passage_tail on passage (team, model, workspace)
  where block is null and vector is not null;

-- Sign bits of vectors, packed, which a search scans before the vectors themselves.
create table vector_block (
  id integer primary key autoincrement, -- never reused, since caches depend on it
  team text not null,
  model text not null,
  workspace text not null, -- empty for none
  size integer not null,
  docids blob not null, -- int64
  codes blob not null, -- 64 sign bits per word, word by word
  checksum integer not null
) strict;
-- Covers all columns that name a block, so that the sign bits need not be read.
create index vector_block_by_scope on vector_block (team, model, workspace, checksum);

-- Vector that is subtracted from a model's vectors before taking the sign bits.
create table vector_centre (
  team text not null,
  model text not null,
  mean blob not null, -- float32
  primary key (team, model)
) strict, without rowid;

-- Ratings of search hits.
create table rating (
  team text not null,
  source text not null,
  useful integer not null,
  useless integer not null,
  rated_at integer not null,
  primary key (team, source)
) strict, without rowid;

-- Speakers in conversations between several people.
create table speaker (
  team text not null,
  workspace text not null,
  name text not null,
  primary key (team, workspace, name)
) strict, without rowid;

-- How often and when last a search returned a record.
create table retrieval_count (
  team text not null,
  source text not null,
  accesses integer not null,
  accessed_at integer not null,
  primary key (team, source)
) strict, without rowid;

-- Journal -----------------------------------------------------------------------------------------

create table journal (
  team text not null,
  sequence integer not null,
  at integer not null,
  actor text not null,
  operation text not null,
  subject text not null,
  detail text not null,
  previous text not null,
  hash text not null,
  primary key (team, sequence)
) strict, without rowid;
-- For the operations on a subject, and for operations by kind except captures, the most frequent kind.
create index journal_by_subject on journal (team, subject, sequence, operation);
create index journal_by_operation on journal (team, operation, sequence)
where operation <> 'observe';

create table journal_head (
  team text not null primary key,
  sequence integer not null,
  hash text not null
) strict, without rowid;

create trigger journal_keeps_its_entries before delete on journal
begin select raise(abort, 'the journal is append-only'); end;

create trigger journal_keeps_its_words before update on journal
begin select raise(abort, 'the journal is append-only'); end;

-- Jobs --------------------------------------------------------------------------------------------

create table job (
  team text not null,
  id text not null,
  kind text not null,
  subject text not null,
  state text not null,
  attempts integer not null,
  run_at integer not null,
  lease_until integer,
  lease_owner text,
  error text,
  created_at integer not null,
  ended_at integer,
  primary key (team, id)
) strict, without rowid;
create index job_by_time on job (team, state, run_at);
create index job_by_subject on job (team, kind, subject, state);

-- Identity ----------------------------------------------------------------------------------------
-- Keys and tokens that identify callers to a server.

-- Browser sessions of the web interface are credentials too, which record how they were created.
create table credential (
  team text not null,
  id text not null,
  kind text not null, -- key or token
  digest text not null, -- keyed hash of a key; empty for a token, which is signed
  subject text not null,
  role text not null,
  agent text,
  workspace text, -- name of the workspace
  created_by text not null,
  created_at integer not null,
  expires_at integer, -- null for never
  revoked_at integer,
  revoked_by text,
  last_used integer, -- start of a day
  parent text, -- for a session, the credential that started it: local, own:ID or outside:ID
  primary key (team, id)
) strict;

-- Tokens of another issuer that are rejected, until they would expire.
create table token_revocation (
  team text not null,
  id text not null,
  expires_at integer not null,
  revoked_at integer not null,
  revoked_by text not null,
  primary key (team, id)
) strict;

-- Repeated requests -------------------------------------------------------------------------------

-- The first responses to HTTP requests, so that a repeated request is not carried out twice.
create table kept_answer (
  team text not null,
  caller text not null,
  key text not null, -- as chosen by the caller
  request_hash text not null,
  status integer, -- null if begun but not finished
  body text, -- null if not finished, too large, or cleared because something was forgotten
  created_at integer not null,
  primary key (team, caller, key)
) strict;
create index kept_answer_by_time on kept_answer (team, created_at);
