-- Stages of tasks, and what stands for them in fewer words.

create table stage (
  team plain not null,
  task plain not null,
  number bigint not null, -- 1, 2, 3 … within the task
  name plain not null,
  began bigint not null, -- the sequence of its first observation
  ended bigint, -- the sequence of its last one; null while it goes on
  source plain not null, -- what told that it began
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

select protect('stage');
select protect('stage_tracking');
select protect('compression');
grant select, insert, update, delete on stage, stage_tracking, compression to memoranda_app;

-- Outputs that an agent saw in their short form. The observation holds the whole.
create table live_output (
  team plain not null,
  observation plain not null,
  whole_bytes bigint not null,
  shown_bytes bigint not null,
  whole_tokens bigint not null,
  shown_tokens bigint not null,
  expansions bigint not null, -- how often the whole was asked for
  primary key (team, observation),
  foreign key (team, observation) references observation (team, id) on delete cascade
);
select protect('live_output');
grant select, insert, update, delete on live_output to memoranda_app;

-- What language models were asked and what it cost. A call stays when its task is forgotten: what
-- was spent is spent. The answers of a task do not: they go with it, and with any part of it.

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

select protect('model_call');
select protect('model_budget');
select protect('model_answer');
grant select, insert, update, delete on model_call, model_budget, model_answer to memoranda_app;
