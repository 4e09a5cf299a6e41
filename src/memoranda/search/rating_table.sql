-- rate: add a rating
insert into rating (team, source, useful, useless, rated_at)
values (:team, :source, :useful, :useless, :now)
on conflict (team, source) do update set useful = rating.useful + excluded.useful,
  useless = rating.useless + excluded.useless, rated_at = excluded.rated_at

-- of_sources: ratings of records
select source, useful, useless from rating where team = :team and source in :sources[]

-- delete: delete ratings of records to be deleted
delete from rating where team = :team and source in :sources[]

-- take_back: remove one mistaken rating
update rating set useful = useful - :useful, useless = useless - :useless, rated_at = :now
where team = :team and source = :source and useful >= :useful and useless >= :useless
