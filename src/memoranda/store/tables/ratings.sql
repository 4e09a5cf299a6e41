-- rate: count one more opinion
insert into rating (team, source, useful, useless, rated_at)
values (:team, :source, :useful, :useless, :now)
on conflict (team, source) do update set useful = rating.useful + excluded.useful,
  useless = rating.useless + excluded.useless, rated_at = excluded.rated_at

-- of_sources: how records were rated
select source, useful, useless from rating where team = :team and source in :sources[]

-- delete: opinions on records that are to go
delete from rating where team = :team and source in :sources[]

-- totals: all opinions of a team
select coalesce(sum(useful), 0), coalesce(sum(useless), 0) from rating where team = :team
