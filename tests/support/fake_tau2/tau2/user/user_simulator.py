"""The prompt of the model that plays a customer."""


def get_global_user_sim_guidelines() -> str:
    return "You are a customer. \nWrite ###STOP### when you are done.\n"
