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

select protect('stage');
select protect('stage_tracking');
select protect('compression');
grant select, insert, update, delete on stage, stage_tracking, compression to memoranda_app;

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
select protect('live_output');
grant select, insert, update, delete on live_output to memoranda_app;

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

select protect('model_call');
select protect('model_budget');
select protect('model_answer');
grant select, insert, update, delete on model_call, model_budget, model_answer to memoranda_app;
