-- add: count retrievals of a record
insert into retrieval_count (team, source, accesses, accessed_at)
values (:team, :source, :accesses, :now)
on conflict (team, source) do update set
  accesses = retrieval_count.accesses + excluded.accesses, accessed_at = excluded.accessed_at

-- of_sources: number of retrievals of records
select source, accesses, accessed_at from retrieval_count
where team = :team and source in :sources[]

-- delete: delete counts of records to be deleted
delete from retrieval_count where team = :team and source in :sources[]
