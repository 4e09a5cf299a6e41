-- Stages of tasks, and what stands for them in fewer words.

create table stage (
  team text not null,
  task text not null,
  number integer not null, -- 1, 2, 3 … within the task
  name text not null,
  began integer not null, -- the sequence of its first observation
  ended integer, -- the sequence of its last one; null while it goes on
  source text not null, -- what told that it began
  confidence real not null, -- 0 to 1
  reason text not null,
  started_at integer not null,
  ended_at integer,
  primary key (team, task, number),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- How far the stages of a task are known, and what the next observation is read with.
create table stage_tracking (
  team text not null,
  task text not null,
  position integer not null, -- the sequence of the last observation that was read
  state text not null, -- JSON
  primary key (team, task),
  foreign key (team, task) references task (team, id) on delete cascade
) strict, without rowid;

-- A stage, or with number 0 the task, in fewer words, and how well that went.
create table compression (
  team text not null,
  task text not null,
  stage integer not null,
  until_sequence integer not null, -- of the last observation that it stands for
  lines_hash text not null, -- JSON
  tokens integer not null,
  source_tokens integer not null,
  target real not null, -- tokens of the source that one token was to stand for
  facts integer not null,
  kept integer not null,
  contradictions integer not null,
  method text not null,
  cost integer not null, -- millionths of a dollar
  declined text not null, -- why the words of a model were not taken
  tries integer not null,
  created_at integer not null,
  primary key (team, task, stage),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index compression_by_lines on compression (team, lines_hash);
create index compression_by_time on compression (team, created_at);

-- Outputs that an agent saw in their short form. The observation holds the whole.
create table live_output (
  team text not null,
  observation text not null,
  whole_bytes integer not null,
  shown_bytes integer not null,
  whole_tokens integer not null,
  shown_tokens integer not null,
  expansions integer not null, -- how often the whole was asked for
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
) strict, without rowid;

-- What language models were asked and what it cost. A call stays when its task is forgotten: what
-- was spent is spent. The answers of a task do not: they go with it, and with any part of it.

create table model_call (
  team text not null,
  id text not null,
  operation text not null,
  provider text not null,
  model text not null,
  agent text,
  task text, -- which may be gone
  input_tokens integer not null,
  output_tokens integer not null,
  cached_tokens integer not null,
  measured integer not null, -- the provider told the tokens; they are the most possible otherwise
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
  cost_limit integer, -- millionths of a dollar a month; null: as the settings say
  alert_share real, -- 0 to 1; null likewise
  alerted_month text, -- the last one in which the share was passed
  primary key (team)
) strict, without rowid;

create table model_answer (
  team text not null,
  task text not null,
  hash text not null, -- of the question and the model
  data blob, -- compressed JSON; null while the answer is waited for
  created_at integer not null,
  primary key (team, task, hash),
  foreign key (team, task) references task (team, id) on delete cascade
) strict;
create index model_answer_by_time on model_answer (team, created_at);

create trigger model_answer_goes_with_its_source after delete on observation begin
  delete from model_answer where team = old.team and task = old.task;
end;
