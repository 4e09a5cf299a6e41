-- add: count retrievals of a record
insert into retrieval_count (team, source, accesses, accessed_at)
values (:team, :source, :accesses, :now)
on conflict (team, source) do update set
  accesses = retrieval_count.accesses + excluded.accesses, accessed_at = excluded.accessed_at

-- of_sources: how often records were retrieved
select source, accesses, accessed_at from retrieval_count
where team = :team and source in :sources[]

-- delete: counts of records that are to go
delete from retrieval_count where team = :team and source in :sources[]
