-- Foundation: workspaces, tasks, observations, memories, the journal, jobs.
-- Every key starts with the team. Times are microseconds since the epoch, UTC.

create table migration (
  version integer primary key,
  name text not null,
  applied_at integer not null
) strict;

create table workspace (
  team text not null,
  id text not null,
  name text not null,
  root text,
  created_at integer not null,
  primary key (team, id),
  unique (team, name)
) strict, without rowid;

-- What a workspace is recognised by: its git directory, remote or folder.
create table workspace_alias (
  team text not null,
  alias text not null,
  workspace text not null,
  primary key (team, alias),
  foreign key (team, workspace) references workspace (team, id) on delete cascade
) strict, without rowid;

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
  primary key (team, id),
  unique (team, number),
  unique (team, host, session),
  foreign key (team, workspace) references workspace (team, id)
) strict, without rowid;
create index task_by_time on task (team, workspace, last_event_at);

create table observation (
  docid integer primary key, -- what the full-text index calls the row; VACUUM keeps it
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

-- Tags and files, for exact filters; the observation row holds the same lists for reading.
create table observation_ref (
  team text not null,
  kind text not null,
  value text not null,
  observation text not null,
  primary key (team, kind, value, observation)
) strict, without rowid;

-- Errors that nothing has ended yet: one for each target of a task.
create table open_error (
  team text not null,
  task text not null,
  target text not null,
  observation text not null,
  primary key (team, task, target),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- Full contents, compressed, addressed by the SHA-256 of the text: equal text is kept once.
create table blob (
  team text not null,
  hash text not null,
  codec text not null,
  size integer not null,
  data blob not null,
  primary key (team, hash)
) strict;

-- How many secrets and private spans were taken out, never what they were.
create table redaction (
  team text not null,
  task text not null,
  rule text not null,
  count integer not null,
  primary key (team, task, rule),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- Keys of forgotten events, so that importing their transcript again does not bring them back.
create table tombstone (
  team text not null,
  event_key text not null,
  forgotten_at integer not null,
  primary key (team, event_key)
) strict, without rowid;

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
  unique (team, id),
  foreign key (team, workspace) references workspace (team, id)
) strict;
create index memory_by_scope on memory (team, workspace, status, critical);
create index memory_by_content on memory (team, content_hash);

create table memory_evidence (
  team text not null,
  memory text not null,
  observation text not null,
  primary key (team, memory, observation),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict, without rowid;

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

create table journal_head (
  team text not null primary key,
  sequence integer not null,
  hash text not null
) strict, without rowid;

create trigger journal_keeps_its_entries before delete on journal
begin select raise(abort, 'the journal is append-only'); end;
create trigger journal_keeps_its_words before update on journal
begin select raise(abort, 'the journal is append-only'); end;

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
create index job_by_time on job (state, run_at);
create index job_by_subject on job (team, kind, subject, state);

-- How far each transcript has been read.
create table transcript (
  team text not null,
  path text not null,
  head_hash text not null,
  read_offset integer not null,
  read_at integer not null,
  primary key (team, path)
) strict, without rowid;

-- Full text. Contentless: the words are in the index, the text itself in observation and blob.
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
