-- put: store a document, replacing that with the same key
insert into document (team, workspace, space, key, value_hash, size, version, created_at,
  updated_at, expires_at)
values (:team, :workspace, :space, :key, :value_hash, :size, :version, :created_at, :updated_at,
  :expires_at)
on conflict (team, workspace, space, key) do update set value_hash = excluded.value_hash,
  size = excluded.size, version = excluded.version, created_at = excluded.created_at,
  updated_at = excluded.updated_at, expires_at = excluded.expires_at

-- columns: columns of a document
select d.key, d.value_hash, d.size, d.version, d.created_at, d.updated_at, d.expires_at
from document d
where d.team = :team and d.workspace = :workspace and d.space = :space
  and (d.expires_at is null or d.expires_at > :now)

-- under: documents with some keys
and d.key in :keys[]

-- beginning: documents with a key prefix
and d.key >= :low and (:high is null or d.key < :high)

-- onward: by key, starting after a key
and d.key > :after order by d.key limit :limit

-- backward: by key in descending order, starting before a key
and (:before is null or d.key < :before) order by d.key desc limit :limit

-- contents: stored values of some documents
select hash, codec, data from blob where team = :team and hash in :hashes[]

-- delete: delete the documents with some keys
delete from document where team = :team and workspace = :workspace and space = :space
  and key in :keys[]

-- expired: expired documents
select workspace, space, key, value_hash from document
where team = :team and expires_at <= :until order by expires_at limit :limit
