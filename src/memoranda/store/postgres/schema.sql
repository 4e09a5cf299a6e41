-- The schema of version 27: the tables of the embedded store, for many teams on one server. Later
-- changes are numbered files, which a new database runs as well: columns in ../upgrades/, once for
-- both engines, and what depends on the engine in upgrades/ of each.
-- Every primary, unique and foreign key starts with the team, so that tables can be spread by it.
-- Times are microseconds since the epoch, UTC. Text compares by its bytes, as in SQLite.

create schema if not exists memoranda; -- an administrator may have made it for the owner
create table if not exists memoranda.migration ( -- earlier versions made it alone, first
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

-- What a workspace is recognised by: its git directory, remote or folder.
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
-- The newest completed tasks. One that goes on is not in it, so that capture pays nothing for it.
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
-- The newest of a workspace, and how many there are since a time.
create index observation_by_recording on observation (team, workspace, recorded_at, id);
-- Those of one type in a task, in order; their number without a look at them.
create index observation_in_task_by_type on observation (team, task, type, sequence);
-- The errors of a team, newest first, and what ended an error.
create index observation_errors on observation (team, id) where type = 'error';
create index observation_by_resolution on observation (team, resolves) where resolves is not null;

-- Tags and files, for exact filters; the observation row holds the same lists for reading.
create table observation_ref (
  team plain not null,
  kind plain not null,
  value plain not null,
  observation plain not null,
  primary key (team, observation, kind, value)
) partition by hash (team);

-- Full contents, compressed, addressed by the SHA-256 of the text: equal text is kept once.
create table blob (
  team plain not null,
  hash plain not null,
  codec plain not null,
  size bigint not null,
  data bytea not null,
  primary key (team, hash)
) partition by hash (team);
alter table blob alter column data set storage external; -- compressed already

-- How many secrets and private spans were taken out, never what they were.
create table redaction (
  team plain not null,
  task plain not null,
  rule plain not null,
  count bigint not null,
  primary key (team, task, rule),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- Keys of forgotten events, so that importing their transcript again does not bring them back.
create table tombstone (
  team plain not null,
  event_key plain not null,
  forgotten_at bigint not null,
  primary key (team, event_key)
);

-- How far each transcript has been read.
create table transcript (
  team plain not null,
  path plain not null,
  head_hash plain not null,
  read_offset bigint not null,
  read_at bigint not null,
  primary key (team, path)
);

-- Outputs that an agent saw in their short form. The observation holds the whole.
create table live_output (
  team plain not null,
  observation plain not null,
  whole_bytes bigint not null,
  shown_bytes bigint not null,
  whole_tokens bigint not null,
  shown_tokens bigint not null,
  expansions bigint not null, -- how often the full text was requested
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
);

-- Observations that read like an order to the agent: why they are quarantined, and who released them.
create table quarantine (
  team plain not null,
  observation plain not null,
  reason plain not null,
  salience plain not null, -- what it deserves once it is released
  created_at bigint not null,
  held bigint not null, -- 0 where a person released it
  decided_by plain,
  decided_at bigint,
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
);
create index quarantine_by_state on quarantine (team, held, observation);

-- Totals of observations and contents -------------------------------------------------------------

-- What the observations of a task come to, kept by the triggers below in the transaction of every
-- write, so that nobody has to go through all of them to add them up. Whoever writes observations
-- of a task holds its row already, so nobody waits for this one beside.
create table task_total (
  team plain not null,
  workspace plain not null,
  task plain not null,
  observations bigint not null, -- those that are there; none: no row
  folded bigint not null,
  tokens bigint not null, -- of the contents
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

-- Totals of the contents of a team, updated likewise. A session has a row of its own, which only
-- the sum of all means something of, so that those who write at once do not wait for each other.
create table content_total (
  team plain not null,
  part bigint not null, -- of the session that wrote
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

-- Errors that nothing has ended yet: one for each target of a task.
create table open_error (
  team plain not null,
  task plain not null,
  target plain not null,
  observation plain not null,
  primary key (team, task, target),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- A manually recorded error, or a note on a captured one.
create table error_note (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain, -- none: it came up outside of any
  stage plain,
  agent plain not null, -- who recorded it; empty: a person
  type plain not null,
  description plain not null,
  context plain not null,
  recovery plain not null, -- what ended it; empty while nothing did
  severity double precision not null, -- 0 to 1
  observation plain, -- the captured error that it is about
  position bigint not null, -- how far the task had come
  resolved_by plain, -- who said that it is over
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
  superseded_by plain, -- a memory, which may be gone
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
-- What is critical, among however many memories.
create index memory_critical on memory (team, id) where critical = 1;
-- What a new memory is compared with: the newest in use of its workspace and of the team, without a
-- look at all others.
create index memory_in_place on memory (team, workspace, id, visibility, agent)
where status in ('approved', 'pending');

create table memory_evidence (
  team plain not null,
  memory plain not null,
  observation plain not null,
  primary key (team, memory, observation),
  foreign key (team, memory) references memory (team, id) on delete cascade
) partition by hash (team);
-- The memories that rest on an observation.
create index memory_evidence_by_observation on memory_evidence (team, observation);

create table memory_version (
  team plain not null,
  memory plain not null,
  version bigint not null, -- 1, 2, 3 … within the memory
  state plain not null, -- JSON: what it was before it was changed
  actor plain not null, -- who changed it
  reason plain not null,
  created_at bigint not null, -- when it was changed
  primary key (team, memory, version),
  foreign key (team, memory) references memory (team, id) on delete cascade
);

-- Derived from the content: made anew by rebuild-index.
create table memory_encoding (
  team plain not null,
  memory plain not null,
  content_hash plain not null, -- of the content that it was made of
  version bigint not null, -- of the analysis
  type plain, -- what the content does first of all: tells, settles, promises, likes or judges
  summary plain not null,
  entities plain not null, -- JSON, as are the following
  facts plain not null,
  keywords plain not null,
  constraints plain not null,
  outcomes plain not null,
  compared plain not null, -- '', 'words' or the model by whose vectors it was compared with others
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
  actor plain not null, -- who made it
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

-- Memories that search and comparing do not know yet, so that nobody has to go through all of them
-- to find these. Derived: a row too many costs a look.
create table memory_unread (
  team plain not null,
  memory plain not null,
  primary key (team, memory),
  foreign key (team, memory) references memory (team, id) on delete cascade
);

-- Proposals ---------------------------------------------------------------------------------------
-- What somebody wants memories to be, and who was notified.

create table proposal (
  team plain not null,
  id plain not null,
  kind plain not null,
  memory plain not null,
  workspace plain,
  agent plain,
  task plain, -- which may be gone
  reason plain not null,
  before plain not null, -- JSON
  after plain not null, -- JSON
  status plain not null,
  created_at bigint not null,
  decided_at bigint,
  decided_by plain,
  note plain not null,
  number bigint not null default 0, -- 1, 2, 3 … within the team
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

-- Notifications that a channel has shown, such as the command line or a page of somebody.
create table delivery (
  team plain not null,
  channel plain not null,
  notification plain not null,
  delivered_at bigint not null,
  primary key (team, channel, notification),
  foreign key (team, notification) references notification (team, id) on delete cascade
);
create index delivery_by_notification on delivery (team, notification);

-- Rules by which proposals are approved at once.
create table approval_rule (
  team plain not null,
  id plain not null,
  source plain,
  category plain,
  confidence double precision not null, -- at least, 0 to 1
  origin plain not null, -- at least so trusted
  agents bigint not null, -- 1: also what agents say
  workspace plain,
  enabled bigint not null,
  created_by plain not null,
  created_at bigint not null,
  primary key (team, id),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);

-- Lessons -----------------------------------------------------------------------------------------
-- What tasks leave behind when they end.

create table task_archive (
  team plain not null,
  task plain not null,
  memory plain not null, -- which may have been forgotten
  position bigint not null, -- the sequence of the last observation that it tells of
  status plain not null,
  written_at bigint not null,
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

create table lesson (
  team plain not null,
  workspace plain not null,
  key plain not null, -- a hash of what it is about
  memory plain not null, -- which may have been forgotten
  seen bigint not null, -- in how many tasks
  updated_at bigint not null,
  primary key (team, workspace, key),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
);
create index lesson_by_memory on lesson (team, memory);

-- Which tasks taught a lesson, so that none counts twice.
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
-- What was suggested to make a profile smaller, and which versions of memories it was done to.

create table profile_change (
  team plain not null,
  id plain not null,
  workspace plain, -- null: what holds for the whole team
  hash plain not null, -- of the profile and of all that would be done
  status plain not null, -- preview, applied, undone
  size_limit bigint not null,
  target bigint not null,
  used bigint not null,
  short plain not null,
  news bigint not null, -- 1: people are to be notified
  told plain not null, -- JSON: the channels that were notified
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
  number bigint not null, -- of the suggestion: 1, 2, 3 … within the change
  memory plain not null,
  place bigint not null, -- within the suggestion
  kind plain not null,
  reason plain not null,
  freed bigint not null,
  source plain not null, -- hash of the state that it is made from
  after plain, -- JSON: what the memory would be; null once that was done
  version bigint, -- of the memory as it was before; null until it is done
  primary key (team, change, number, memory),
  foreign key (team, change) references profile_change (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index profile_step_by_memory on profile_step (team, memory);

-- Feedback ----------------------------------------------------------------------------------------
-- What people say of the work, what followed from it, and suggestions with their answers.

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
  text plain not null, -- as said
  about plain not null, -- what it answers
  observation plain, -- the message it was said in
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
  number bigint not null, -- 1, 2, 3 … within the feedback
  revision bigint not null, -- of the feedback when it was processed
  touched plain not null, -- block, memory, proposal, rule, suggestion or nothing
  target plain not null, -- its id; it may be gone
  note plain not null,
  primary key (team, feedback, number),
  foreign key (team, feedback) references feedback (team, id) on delete cascade
);

-- Suggestions that were rejected or accepted; their words are those of what the answers are about.
create table suggestion (
  team plain not null,
  id plain not null,
  workspace plain,
  rule plain, -- the memory that it is not wanted, which may be gone
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
  model plain, -- what made the vector
  vector bytea, -- float16, little-endian, of what the feedback is about
  answered_at bigint not null,
  primary key (team, suggestion, feedback),
  foreign key (team, suggestion) references suggestion (team, id) on delete cascade,
  foreign key (team, feedback) references feedback (team, id) on delete cascade
);
create index suggestion_answer_by_feedback on suggestion_answer (team, feedback);

-- How far the messages of a task were listened to.
create table hearing (
  team plain not null,
  task plain not null,
  position bigint not null, -- the sequence of the last observation that was read
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- Blocks ------------------------------------------------------------------------------------------
-- With every version they had. Values are contents: kept once however often they are used.

create table block (
  team plain not null,
  id plain not null,
  label plain not null,
  workspace plain,
  task plain,
  agent plain, -- whose own it is
  shared bigint not null, -- seen by those who hold it, and by no other agent
  description plain not null,
  size_limit bigint not null, -- characters
  read_only bigint not null, -- for agents
  version bigint not null, -- the newest
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
  version bigint not null, -- 1, 2, 3 …
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
-- States are contents, as values of blocks are.

create table checkpoint (
  team plain not null,
  id plain not null,
  task plain not null,
  sequence bigint not null, -- 1, 2, 3 … within the task
  parent plain, -- the one that the work went on from
  phase plain not null,
  description plain not null,
  position bigint not null, -- the sequence of the newest observation then
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

-- Where the main line of a task ends, and what its state is now.
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

-- A conversation up to some message, in fewer words. The messages themselves stay.
create table compaction (
  team plain not null,
  task plain not null,
  agent plain not null,
  until_sequence bigint not null, -- of the last observation that the summary covers
  summary_hash plain not null,
  tokens bigint not null,
  source_tokens bigint not null, -- of the messages that it stands for
  mode plain not null,
  created_at bigint not null,
  primary key (team, task, agent, until_sequence),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index compaction_by_summary on compaction (team, summary_hash);

-- Stages ------------------------------------------------------------------------------------------
-- Of tasks, and what stands for them in fewer words.

create table stage (
  team plain not null,
  task plain not null,
  number bigint not null, -- 1, 2, 3 … within the task
  name plain not null,
  began bigint not null, -- the sequence of its first observation
  ended bigint, -- the sequence of its last one; null while it goes on
  source plain not null, -- the evidence that it began
  confidence double precision not null, -- 0 to 1
  reason plain not null,
  started_at bigint not null,
  ended_at bigint,
  primary key (team, task, number),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- How far the stages of a task are known, and what the next observation is read with.
create table stage_tracking (
  team plain not null,
  task plain not null,
  position bigint not null, -- the sequence of the last observation that was read
  state plain not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- A stage, or with number 0 the task, in fewer words, and how well that went.
create table compression (
  team plain not null,
  task plain not null,
  stage bigint not null,
  until_sequence bigint not null, -- of the last observation that it stands for
  lines_hash plain not null, -- JSON
  tokens bigint not null,
  source_tokens bigint not null,
  target double precision not null, -- tokens of the source that one token was to stand for
  facts bigint not null,
  kept bigint not null,
  contradictions bigint not null,
  method plain not null,
  cost bigint not null, -- millionths of a dollar
  declined plain not null, -- why the words of a model were not taken
  tries bigint not null,
  created_at bigint not null,
  primary key (team, task, stage),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index compression_by_lines on compression (team, lines_hash);
create index compression_by_time on compression (team, created_at);

-- Working memory ----------------------------------------------------------------------------------

-- Working memory: what a task notes down for a while. The value is JSON; what is expired may still
-- be here. Time of writing tells which is newer of this and what lies in Redis.
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

-- Documents: JSON that a program keeps under a space and a key, such as the state of a graph. The
-- values lie with the contents, so that one which stands under many keys is there once.
create table document (
  team plain not null,
  workspace plain not null, -- empty: the team's
  space plain not null,
  key plain not null,
  value_hash plain not null,
  size bigint not null, -- bytes of the value's JSON
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint, -- null: never
  primary key (team, workspace, space, key)
);
create index document_by_value on document (team, value_hash);
create index document_by_end on document (team, expires_at) where expires_at is not null;

-- Supervision -------------------------------------------------------------------------------------

-- How far a task was watched, and what the next observation is watched with. No texts.
create table task_watch (
  team plain not null,
  task plain not null,
  position bigint not null, -- the sequence of the last observation that was watched
  state plain not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
);

-- A task that a supervisor should look at.
create table intervention (
  team plain not null,
  id plain not null,
  workspace plain not null,
  task plain not null,
  signal plain not null,
  cause plain not null, -- what it was raised for; once for each
  reason plain not null, -- names of observations and numbers, no text of theirs
  metrics plain not null, -- JSON
  raised_at bigint not null,
  position bigint not null, -- how far the task had come
  state plain not null,
  outcome plain, -- the outcome; null until it is recorded
  effectiveness double precision, -- -1 (it hurt) to 1 (it helped)
  note plain not null,
  decided_by plain,
  decided_at bigint,
  primary key (team, id),
  unique (team, task, signal, cause),
  foreign key (team, task) references task (team, id) on delete cascade
);
create index intervention_by_state on intervention (team, state, id);

-- Memories that stood in the context which a supervisor was given about an intervention.
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
-- Memories as files that people read and edit, and what was written into them.

create table mirror (
  team plain not null,
  folder plain not null, -- an absolute path on the machine where it was turned on
  mark plain not null, -- stands in the folder as well, so that no two mirrors share one
  created_at bigint not null,
  synced_at bigint, -- null: never yet
  notes plain not null, -- JSON: what was noticed in the last runs, newest first
  primary key (team)
);

create table mirror_file (
  team plain not null,
  path plain not null, -- below the folder
  kind plain not null,
  subject plain not null,
  hash plain not null, -- of a content that is wholly in the store
  entries plain not null, -- JSON: memories in that content, each with the hash of its text
  next_hash plain not null, -- of what is about to be put there; empty: nothing is
  next_entries plain not null,
  written_at bigint not null,
  primary key (team, path),
  foreign key (team) references mirror (team) on delete cascade
);

-- Language models ---------------------------------------------------------------------------------
-- What they were asked and what it cost. A call stays when its task is forgotten: what was spent is
-- spent. The answers of a task do not: they go with it, and with any part of it.

create table model_call (
  team plain not null,
  id plain not null,
  operation plain not null,
  provider plain not null,
  model plain not null,
  agent plain,
  task plain, -- which may be gone
  input_tokens bigint not null,
  output_tokens bigint not null,
  cached_tokens bigint not null,
  measured bigint not null, -- the provider told the tokens; they are the most possible otherwise
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
  cost_limit bigint, -- millionths of a dollar a month; null: as the settings say
  alert_share double precision, -- 0 to 1; null likewise
  alerted_month plain, -- the last one in which the share was passed
  refused_month plain, -- the last one that had calls which the budget did not cover
  refused bigint not null default 0, -- such calls of that month
  refused_cost bigint not null default 0, -- the highest of one
  primary key (team)
);

create table model_answer (
  team plain not null,
  task plain not null,
  hash plain not null, -- of the question and the model
  data bytea, -- compressed JSON; null while the answer is waited for
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

-- Full text, beside the rows it stands for. No stop words: people look for "not" and "and" too.
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
  identifiers plain not null, -- in lower case, one on each line
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

-- What search knows of a record beside its full text; all of it can be made again from the record.
create table entry (
  team plain not null,
  source plain not null, -- the observation or memory
  kind plain not null,
  workspace plain,
  task plain,
  position bigint not null, -- within the task
  place plain not null, -- task and position, in an order of their own; without a task the source
  at bigint not null,
  standing bigint not null, -- 1: an instruction that holds from now on, 2: a preference
  version bigint not null, -- of the analysis
  features bytea not null,
  primary key (team, source)
) partition by hash (team);
create index entry_by_place on entry (team, place);
create index entry_standing on entry (team, standing, source) where standing > 0;

-- The parts of a record that have a vector each. Vectors of several models, and so of several
-- lengths, lie in one column.
create table passage (
  team plain not null,
  source plain not null,
  place bigint not null,
  workspace plain,
  task plain,
  text_hash plain not null,
  model plain not null, -- what made the vector; empty as long as there is none
  vector halfvec,
  dimensions integer generated always as (vector_dims(vector)) stored,
  primary key (team, source, place),
  foreign key (team, source) references entry (team, source) on delete cascade
) partition by hash (team);
create index passage_by_text on passage (team, model, text_hash);
create index passage_by_scope on passage (team, model, workspace, task);
-- The passages of a workspace beside each other, with their vectors: to compare all takes a third
-- of the time that it takes to pick them out of the table. It is as large as the table, 1.1 kB for
-- a passage of 384 numbers. Longer vectors than these have no room in an index.
create index passage_in_scope on passage (team, model, workspace)
include (source, place, task, dimensions, vector) where dimensions <= 768;

-- One graph for each usual length; the others are empty and cost a write next to nothing.
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

-- Opinions on what was found.
create table rating (
  team plain not null,
  source plain not null,
  useful bigint not null,
  useless bigint not null,
  rated_at bigint not null,
  primary key (team, source)
);

-- Who speaks where several people do.
create table speaker (
  team plain not null,
  workspace plain not null,
  name plain not null,
  primary key (team, workspace, name)
);

-- How often a record was returned by a search, and when last.
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
-- What was done to something, and everything of one kind but capturing, which is most of it.
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
-- Keys and tokens by which somebody is known to a server.

-- People who signed in to the web page have one too, which says what it was made with.
create table credential (
  team plain not null,
  id plain not null,
  kind plain not null, -- key or token
  digest plain not null, -- keyed hash of the text of a key; empty for a token, which is signed
  subject plain not null,
  role plain not null,
  agent plain,
  workspace plain, -- a name
  created_by plain not null,
  created_at bigint not null,
  expires_at bigint, -- null: never
  revoked_at bigint,
  revoked_by plain,
  last_used bigint, -- the beginning of a day
  parent plain, -- of a session: local, own:ID or outside:ID
  primary key (team, id)
);

-- Tokens of another issuer that are taken no more, until they would be over.
create table token_revocation (
  team plain not null,
  id plain not null,
  expires_at bigint not null,
  revoked_at bigint not null,
  revoked_by plain not null,
  primary key (team, id)
);

-- Repeated requests -------------------------------------------------------------------------------

-- The first answers to requests over HTTP, so that one that is repeated is not carried out twice.
create table kept_answer (
  team plain not null,
  caller plain not null,
  key plain not null, -- as the caller made it up
  request_hash plain not null,
  status integer, -- null: begun, not finished
  body plain, -- null: not finished, too large, or cleared because something was forgotten
  created_at bigint not null,
  primary key (team, caller, key)
);
create index kept_answer_by_time on kept_answer (team, created_at);

-- Writes that were committed in the last hour: what a caller asks whose connection broke meanwhile.
-- (The number of a transaction will not do: after a crash the server may give it out again.)
create table committed (
  team plain not null,
  id uuid not null,
  at timestamptz not null default now(),
  primary key (team, id)
);

-- Partitions --------------------------------------------------------------------------------------

-- By the hash of the team; how many is decided once, when the database is made.
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

-- What a session may see: the rows of the team it says it is for. Unset or empty: none.
create function protect(protected regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', protected);
  execute format('alter table %s force row level security', protected);
  execute format('create policy team_only on %s using (team = current_setting(''memoranda.team'', '
    'true)) with check (team = current_setting(''memoranda.team'', true))', protected);
end $$;

-- Every table of a team; partitions of entry and passage are reached through these alone.
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

-- Searches that keep the index usable: under a policy, PostgreSQL trusts no operator of full text
-- to be run on rows that the policy might hide. A role of its own, which nobody can become, reads
-- all rows of the two text tables; its functions look at the team first.
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

-- A search for words alone sums nothing up, as each row is found once: to bring tens of thousands
-- of rows together took longer than to rank them.
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

-- In how many observations, and memories, words stand. Counting ends at a number that every common
-- word reaches, so that the most common ones cost no more than others.
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

grant create on schema memoranda to memoranda_search; -- an owner of functions must have it
alter function search_observations owner to memoranda_search;
alter function search_memories owner to memoranda_search;
alter function count_words owner to memoranda_search;
revoke create on schema memoranda from memoranda_search;
revoke all on function search_observations, search_memories, count_words from public;
grant execute on function search_observations, search_memories, count_words to memoranda_app;
