-- Suggestions to shrink a profile, and the versions of the memories that they changed.

create table profile_change (
  team plain not null,
  id plain not null,
  workspace plain, -- null for the profile of the whole team
  hash plain not null, -- hash of the profile and all suggestions
  status plain not null, -- preview, applied, undone
  size_limit bigint not null,
  target bigint not null,
  used bigint not null,
  short plain not null,
  news bigint not null, -- 1 if people must be notified
  told plain not null, -- JSON: channels that were notified
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
  number bigint not null, -- number of the suggestion within the change: 1, 2, 3, …
  memory plain not null,
  place bigint not null, -- number within the suggestion
  kind plain not null,
  reason plain not null,
  freed bigint not null,
  source plain not null, -- hash of the state on which it is based
  after plain, -- JSON: state of the memory after the step; null once the step was applied
  version bigint, -- version of the memory before the step; null until the step is applied
  primary key (team, change, number, memory),
  foreign key (team, change) references profile_change (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index profile_step_by_memory on profile_step (team, memory);

create index memory_in_profile on memory (team, status, category, workspace)
where valid_until is null;

select protect('profile_change');
select protect('profile_step');
grant select, insert, update, delete on profile_change, profile_step to memoranda_app;
