package io.sagaspring.entity.supported;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.cache.CacheException;
import org.hibernate.cache.cfg.spi.DomainDataRegionBuildingContext;
import org.hibernate.cache.cfg.spi.DomainDataRegionConfig;
import org.hibernate.cache.spi.support.DomainDataStorageAccess;
import org.hibernate.cache.spi.support.RegionFactoryTemplate;
import org.hibernate.cache.spi.support.StorageAccess;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.jspecify.annotations.Nullable;

/** A second-level cache that keeps each entry until it is evicted. A test can make evictions fail. */
public final class MapCache extends RegionFactoryTemplate {

    private static final long serialVersionUID = 1L;
    private static final AtomicBoolean outOfReach = new AtomicBoolean();

    /** Sets whether the cache throws an exception when an entry is evicted. */
    public static void outOfReach(boolean is) {
        outOfReach.set(is);
    }

    @Override
    protected DomainDataStorageAccess createDomainDataStorageAccess(
            DomainDataRegionConfig region, DomainDataRegionBuildingContext context) {
        return new Entries();
    }

    @Override
    protected StorageAccess createQueryResultsRegionStorageAccess(String region, SessionFactoryImplementor factory) {
        return new Entries();
    }

    @Override
    protected StorageAccess createTimestampsRegionStorageAccess(String region, SessionFactoryImplementor factory) {
        return new Entries();
    }

    @Override
    protected void prepareForUse(SessionFactoryOptions settings, Map<String, Object> values) {}

    @Override
    protected void releaseFromUse() {}

    private static final class Entries implements DomainDataStorageAccess {

        private final Map<Object, Object> entries = new ConcurrentHashMap<>();

        @Override
        public @Nullable Object getFromCache(Object key, SharedSessionContractImplementor session) {
            return entries.get(key);
        }

        @Override
        public void putIntoCache(Object key, Object value, SharedSessionContractImplementor session) {
            entries.put(key, value);
        }

        @Override
        public boolean contains(Object key) {
            return entries.containsKey(key);
        }

        @Override
        public void evictData() {
            entries.clear();
        }

        @Override
        public void evictData(Object key) {
            if (outOfReach.get()) {
                throw new CacheException("The cache is out of reach.");
            }
            entries.remove(key);
        }

        @Override
        public void release() {
            entries.clear();
        }
    }
}
