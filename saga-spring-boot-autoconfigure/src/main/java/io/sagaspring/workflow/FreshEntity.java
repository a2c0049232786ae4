package io.sagaspring.workflow;

import jakarta.persistence.CacheRetrieveMode;
import jakarta.persistence.CacheStoreMode;
import java.util.Map;

/** How an entity is loaded whose row may just have been changed past JPA. */
final class FreshEntity {

    static final Map<String, Object> PAST_THE_CACHE = Map.of(
            "jakarta.persistence.cache.retrieveMode", CacheRetrieveMode.BYPASS,
            "jakarta.persistence.cache.storeMode", CacheStoreMode.REFRESH);

    private FreshEntity() {}
}
