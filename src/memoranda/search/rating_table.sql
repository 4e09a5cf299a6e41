-- rate: count one more opinion
insert into rating (team, source, useful, useless, rated_at)
values (:team, :source, :useful, :useless, :now)
on conflict (team, source) do update set useful = rating.useful + excluded.useful,
  useless = rating.useless + excluded.useless, rated_at = excluded.rated_at

-- of_sources: how records were rated
select source, useful, useless from rating where team = :team and source in :sources[]

-- delete: opinions on records that are to go
delete from rating where team = :team and source in :sources[]

-- take_back: one opinion that was no good
update rating set useful = useful - :useful, useless = useless - :useless, rated_at = :now
where team = :team and source = :source and useful >= :useful and useless >= :useless
