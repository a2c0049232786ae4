package io.sagaspring.test.saga;

@SagaTest(runs = Purchase.class, store = SagaTest.Store.DATABASE)
class RunsInDatabaseTests extends RunScenarioContract {}
