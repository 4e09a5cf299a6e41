-- page: contents after a key, in key order
select team, hash, codec, data from blob
where (team, hash) > (:team, :hash)
order by team, hash limit :limit

-- observation_of: the first observation with a content
select t.number, o.sequence from observation o
join task t on t.team = o.team and t.id = o.task
where o.team = :team and o.content_hash = :hash
order by t.number, o.sequence limit 1
