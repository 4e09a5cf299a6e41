-- How often and when last a search returned a record.
create table retrieval_count (
  team text not null,
  source text not null,
  accesses integer not null,
  accessed_at integer not null,
  primary key (team, source)
) strict, without rowid;
