-- How often and when last a search returned a record.
create table retrieval_count (
  team plain not null,
  source plain not null,
  accesses bigint not null,
  accessed_at bigint not null,
  primary key (team, source)
);

select protect('retrieval_count');
grant select, insert, update, delete on retrieval_count to memoranda_app;
