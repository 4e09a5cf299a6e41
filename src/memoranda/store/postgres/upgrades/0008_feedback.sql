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

select protect('feedback');
select protect('feedback_effect');
select protect('suggestion');
select protect('suggestion_answer');
select protect('hearing');
grant select, insert, update, delete on feedback, feedback_effect, suggestion, suggestion_answer,
  hearing to memoranda_app;
