-- What was suggested to make a profile smaller, and which versions of memories it was done to.

create table profile_change (
  team text not null,
  id text not null,
  workspace text, -- null: what holds for the whole team
  hash text not null, -- of the profile and of all that would be done
  status text not null, -- preview, applied, undone
  size_limit integer not null,
  target integer not null,
  used integer not null,
  short text not null,
  news integer not null, -- 1: people are to be told of it
  told text not null, -- JSON: the channels that were
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
  number integer not null, -- of the suggestion: 1, 2, 3 … within the change
  memory text not null,
  place integer not null, -- within the suggestion
  kind text not null,
  reason text not null,
  freed integer not null,
  source text not null, -- hash of the state that it is made from
  after text, -- JSON: what the memory would be; null once that was done
  version integer, -- of the memory as it was before; null until it is done
  primary key (team, change, number, memory),
  foreign key (team, change) references profile_change (team, id) on delete cascade,
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict;
create index profile_step_by_memory on profile_step (team, memory);

create index memory_in_profile on memory (team, status, category, workspace)
where valid_until is null;
