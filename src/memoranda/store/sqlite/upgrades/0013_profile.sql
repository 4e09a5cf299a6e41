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

create index memory_in_profile on memory (team, status, category, workspace)
where valid_until is null;
