package io.sagaspring.fence;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class BoundResourcesTests {

    private static final String KEY = "factory";

    @AfterEach
    void unbind() {
        TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
        TransactionSynchronizationManager.unbindResourceIfPossible("other");
    }

    @Test
    void workDoesNotSeeTheResourcesOfItsThreadAndLeavesNone() {
        TransactionSynchronizationManager.bindResource(KEY, "the caller's");

        BoundResources.without(() -> {
            assertThat(TransactionSynchronizationManager.getResource(KEY)).isNull();
            TransactionSynchronizationManager.bindResource(KEY, "the work's");
            TransactionSynchronizationManager.bindResource("other", "the work's");
        });

        assertThat(TransactionSynchronizationManager.getResource(KEY)).isEqualTo("the caller's");
        assertThat(TransactionSynchronizationManager.getResource("other")).isNull();
    }
}
