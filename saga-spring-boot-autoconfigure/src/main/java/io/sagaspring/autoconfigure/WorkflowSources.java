package io.sagaspring.autoconfigure;

import io.sagaspring.definition.Setting;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.ResourceLoader;

record WorkflowSources(Setting workflows) {

    static WorkflowSources gather(ConfigurableEnvironment environment, ResourceLoader resources) {
        return new WorkflowSources(new Setting.Fields("saga.workflows", null, Map.of()));
    }

    @Nullable
    String placeOf(@Nullable String path) {
        return null;
    }
}
