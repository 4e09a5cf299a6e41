-- of_observations: contents of observations with their format
select o.id, o.format, o.tags, o.summary, o.content_hash, b.codec, b.data
from observation o join blob b on b.team = o.team and b.hash = o.content_hash
where o.team = :team and o.id in :ids[]
