-- Changes of memories: earlier versions, proposals, and who was notified.

create table memory_version (
  team text not null,
  memory text not null,
  version integer not null, -- number within the memory: 1, 2, 3, …
  state text not null, -- JSON: state before the change
  actor text not null, -- author of the change
  reason text not null,
  created_at integer not null, -- time of the change
  primary key (team, memory, version),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict;

create table proposal (
  team text not null,
  id text not null,
  kind text not null,
  memory text not null,
  workspace text,
  agent text,
  task text, -- may no longer exist
  reason text not null,
  before text not null, -- JSON
  after text not null, -- JSON
  status text not null,
  created_at integer not null,
  decided_at integer,
  decided_by text,
  note text not null,
  primary key (team, id),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict;
create index proposal_by_status on proposal (team, status, id);
create index proposal_by_memory on proposal (team, memory, status);

create table notification (
  team text not null,
  id text not null,
  notice text not null,
  proposal text not null,
  created_at integer not null,
  primary key (team, id),
  foreign key (team, proposal) references proposal (team, id) on delete cascade
) strict;
create index notification_by_proposal on notification (team, proposal);

-- Notifications that a channel has shown, such as the command line or a web page.
create table delivery (
  team text not null,
  channel text not null,
  notification text not null,
  delivered_at integer not null,
  primary key (team, channel, notification),
  foreign key (team, notification) references notification (team, id) on delete cascade
) strict, without rowid;
create index delivery_by_notification on delivery (team, notification);
