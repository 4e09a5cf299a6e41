-- Memories that are not yet indexed or compared, so that they are found without scanning all
-- memories. Derived data; a superfluous row only costs one check.
create table memory_unread (
  team plain not null,
  memory plain not null,
  primary key (team, memory),
  foreign key (team, memory) references memory (team, id) on delete cascade
);

insert into memory_unread (team, memory)
select m.team, m.id from memory m
where not exists (select 1 from entry e where e.team = m.team and e.source = m.id)
  or not exists (select 1 from memory_encoding e
    where e.team = m.team and e.memory = m.id and e.content_hash = m.content_hash);

create index memory_encoding_by_version on memory_encoding (team, version);

select protect('memory_unread');
grant select, insert, update, delete on memory_unread to memoranda_app;
