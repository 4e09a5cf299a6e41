-- Changes of memories: earlier versions, proposals, and who was notified.

create table memory_version (
  team plain not null,
  memory plain not null,
  version bigint not null, -- number within the memory: 1, 2, 3, …
  state plain not null, -- JSON: state before the change
  actor plain not null, -- author of the change
  reason plain not null,
  created_at bigint not null, -- time of the change
  primary key (team, memory, version),
  foreign key (team, memory) references memory (team, id) on delete cascade
);

create table proposal (
  team plain not null,
  id plain not null,
  kind plain not null,
  memory plain not null,
  workspace plain,
  agent plain,
  task plain, -- may no longer exist
  reason plain not null,
  before plain not null, -- JSON
  after plain not null, -- JSON
  status plain not null,
  created_at bigint not null,
  decided_at bigint,
  decided_by plain,
  note plain not null,
  primary key (team, id),
  foreign key (team, memory) references memory (team, id) on delete cascade
);
create index proposal_by_status on proposal (team, status, id);
create index proposal_by_memory on proposal (team, memory, status);

create table notification (
  team plain not null,
  id plain not null,
  notice plain not null,
  proposal plain not null,
  created_at bigint not null,
  primary key (team, id),
  foreign key (team, proposal) references proposal (team, id) on delete cascade
);
create index notification_by_proposal on notification (team, proposal);

-- Notifications that a channel has shown, such as the command line or a web page.
create table delivery (
  team plain not null,
  channel plain not null,
  notification plain not null,
  delivered_at bigint not null,
  primary key (team, channel, notification),
  foreign key (team, notification) references notification (team, id) on delete cascade
);
create index delivery_by_notification on delivery (team, notification);

select protect('memory_version');
select protect('proposal');
select protect('notification');
select protect('delivery');
grant select, insert, update, delete on memory_version, proposal, notification, delivery
  to memoranda_app;
