-- bury: store the key of a forgotten record
insert into tombstone (team, event_key, forgotten_at) values (:team, :event_key, :forgotten_at)
on conflict (team, event_key) do nothing

-- buried: the given keys that were forgotten
select event_key from tombstone where team = :team and event_key in :keys[]
