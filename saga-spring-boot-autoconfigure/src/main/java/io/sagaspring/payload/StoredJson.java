package io.sagaspring.payload;

import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamWriteConstraints;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Builds the mapper for everything that is stored as JSON, so that all of it is written and read in the same way. */
final class StoredJson {

    /** The greatest allowed nesting depth of objects and arrays. */
    static final int DEEPEST = 200;

    private StoredJson() {}

    /**
     * Builds a mapper that has the same nesting limit for writing and for reading, and reads no more than the given
     * length.
     */
    static JsonMapper mapper(int largest) {
        return JsonMapper.builder(JsonFactory.builder()
                        .streamReadConstraints(StreamReadConstraints.builder()
                                .maxNestingDepth(DEEPEST)
                                .maxDocumentLength(largest)
                                .maxStringLength(largest)
                                .build())
                        .streamWriteConstraints(StreamWriteConstraints.builder()
                                .maxNestingDepth(DEEPEST)
                                .build())
                        .build())
                .findAndAddModules()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                // A newer version of the application may have written a property that this version does not know.
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                // Times keep their offset and zone when they are read back, because in another zone the date may
                // differ.
                .disable(
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                // Amounts keep their trailing zeros when they are read back.
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
    }
}
