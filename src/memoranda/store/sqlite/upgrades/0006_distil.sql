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
