-- position: import position of a transcript
select head_hash, read_offset from transcript where team = :team and path = :path

-- advance: store the import position
insert into transcript (team, path, head_hash, read_offset, read_at)
values (:team, :path, :head_hash, :read_offset, :read_at)
on conflict (team, path) do update set
  head_hash = excluded.head_hash, read_offset = excluded.read_offset, read_at = excluded.read_at

-- imported: files with an import position
select path from transcript where team = :team and path in :paths[]
