package io.sagaspring.test.saga;

@SagaTest(
        runs = {Purchase.class, Doubled.class},
        store = SagaTest.Store.DATABASE)
class RunsInDatabaseTests extends RunScenarioContract {}
