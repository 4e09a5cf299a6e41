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
  news bigint not null, -- 1: people are to be told of it
  told plain not null, -- JSON: the channels that were
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

create index memory_in_profile on memory (team, status, category, workspace)
where valid_until is null;

select protect('profile_change');
select protect('profile_step');
grant select, insert, update, delete on profile_change, profile_step to memoranda_app;
