-- insert: insert content unless it exists
insert into blob (team, hash, codec, size, data) values (:team, :hash, :codec, :size, :data)
on conflict (team, hash) do nothing

-- by_hash: one content
select codec, data from blob where team = :team and hash = :hash

-- delete_unused: delete contents without references
delete from blob where team = :team and hash in :hashes[]
  and not exists (
    select 1 from observation o where o.team = blob.team and o.content_hash = blob.hash)
  and not exists (
    select 1 from block_version v where v.team = blob.team and v.value_hash = blob.hash)
  and not exists (
    select 1 from checkpoint p where p.team = blob.team and p.state_hash = blob.hash)
  and not exists (
    select 1 from task_state s where s.team = blob.team and s.state_hash = blob.hash)
  and not exists (
    select 1 from compaction k where k.team = blob.team and k.summary_hash = blob.hash)
  and not exists (
    select 1 from compression c where c.team = blob.team and c.lines_hash = blob.hash)
  and not exists (
    select 1 from document d where d.team = blob.team and d.value_hash = blob.hash)

-- totals: sizes of the contents as text and on disk
select coalesce(sum(contents), 0), coalesce(sum(characters), 0), coalesce(sum(bytes), 0)
from content_total where team = :team
