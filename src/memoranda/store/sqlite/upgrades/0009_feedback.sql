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
